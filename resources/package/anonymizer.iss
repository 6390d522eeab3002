; Windows installer of the standalone folder, by Inno Setup 6.3 or later:
;   iscc /DVersion=1.0.0 /DFolder=C:\build\anonymizer resources\package\anonymizer.iss
#ifndef Version
  #error Give the version: /DVersion=1.0.0
#endif
#ifndef Folder
  #error Give the folder that build.py made: /DFolder=...
#endif

[Setup]
AppId={{5B6E3C52-6C2C-4C39-9C5B-1B7B3B7C7F10}
AppName=Anonymizer
AppVersion={#Version}
DefaultDirName={autopf}\Anonymizer
DefaultGroupName=Anonymizer
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
OutputBaseFilename=anonymizer-{#Version}-windows
SetupIconFile=..\icons\program\anonymizer.ico
UninstallDisplayIcon={app}\anonymizer-window.exe
ChangesAssociations=yes
Compression=lzma2
SolidCompression=yes

[Languages]
Name: "en"; MessagesFile: "compiler:Default.isl"
Name: "de"; MessagesFile: "compiler:Languages\German.isl"

[Files]
Source: "{#Folder}\*"; DestDir: "{app}"; Flags: recursesubdirs createallsubdirs

[Icons]
Name: "{group}\Anonymizer"; Filename: "{app}\anonymizer-window.exe"

[Registry]
Root: HKA; Subkey: "Software\Classes\.anon"; ValueType: string; ValueData: "Anonymizer.Project"; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\Anonymizer.Project"; ValueType: string; ValueData: "Anonymizer project"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\Anonymizer.Project\DefaultIcon"; ValueType: string; ValueData: "{app}\anonymizer-window.exe,0"
Root: HKA; Subkey: "Software\Classes\Anonymizer.Project\shell\open\command"; ValueType: string; ValueData: """{app}\anonymizer-window.exe"" ""%1"""
; Recipes end in .toml, which belongs to others: the program is offered under "Open with" only.
Root: HKA; Subkey: "Software\Classes\.toml\OpenWithProgids"; ValueType: string; ValueName: "Anonymizer.Recipe"; ValueData: ""; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\Anonymizer.Recipe"; ValueType: string; ValueData: "Anonymizer recipe"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\Anonymizer.Recipe\shell\open\command"; ValueType: string; ValueData: """{app}\anonymizer-window.exe"" ""%1"""
