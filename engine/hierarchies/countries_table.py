"""Countries and areas of ISO 3166-1 by region of the United Nations (M49), with names in common use."""

from __future__ import annotations

# Below each region with subregion, per line: the codes of two and three letters, the short English name,
# further names after bars. Cut names such as "Hong" and misspelt ones such as "Columbia" are those of the
# Adult table; its "South" is left out, for it may be South Africa or South Korea.
COUNTRIES = """\
Africa: Northern Africa
DZ DZA Algeria
EG EGY Egypt
EH ESH Western Sahara
LY LBY Libya|Libyan Arab Jamahiriya
MA MAR Morocco
SD SDN Sudan
TN TUN Tunisia
Africa: Eastern Africa
BI BDI Burundi
DJ DJI Djibouti
ER ERI Eritrea
ET ETH Ethiopia
IO IOT British Indian Ocean Territory
KE KEN Kenya
KM COM Comoros
MG MDG Madagascar
MU MUS Mauritius
MW MWI Malawi
MZ MOZ Mozambique
RE REU Réunion
RW RWA Rwanda
SC SYC Seychelles
SO SOM Somalia
SS SSD South Sudan
TF ATF French Southern Territories|French Southern and Antarctic Lands
TZ TZA Tanzania|United Republic of Tanzania|Tanzania, United Republic of
UG UGA Uganda
YT MYT Mayotte
ZM ZMB Zambia
ZW ZWE Zimbabwe
Africa: Middle Africa
AO AGO Angola
CD COD Democratic Republic of the Congo|Congo, The Democratic Republic of the|DR Congo|DRC|Congo-Kinshasa|\
Zaire
CF CAF Central African Republic
CG COG Congo|Congo Republic|Republic of the Congo|Congo-Brazzaville
CM CMR Cameroon
GA GAB Gabon
GQ GNQ Equatorial Guinea
ST STP São Tomé and Príncipe
TD TCD Chad
Africa: Southern Africa
BW BWA Botswana
LS LSO Lesotho
NA NAM Namibia
SZ SWZ Eswatini|Swaziland
ZA ZAF South Africa|Republic of South Africa
Africa: Western Africa
BF BFA Burkina Faso
BJ BEN Benin
CI CIV Côte d'Ivoire|Ivory Coast
CV CPV Cabo Verde|Cape Verde
GH GHA Ghana
GM GMB Gambia
GN GIN Guinea
GW GNB Guinea-Bissau
LR LBR Liberia
ML MLI Mali
MR MRT Mauritania
NE NER Niger
NG NGA Nigeria
SH SHN Saint Helena|Saint Helena, Ascension and Tristan da Cunha
SL SLE Sierra Leone
SN SEN Senegal
TG TGO Togo
Americas: Caribbean
AG ATG Antigua and Barbuda
AI AIA Anguilla
AW ABW Aruba
BB BRB Barbados
BL BLM Saint Barthélemy
BQ BES Bonaire, Sint Eustatius and Saba|Caribbean Netherlands
BS BHS Bahamas
CU CUB Cuba
CW CUW Curaçao
DM DMA Dominica
DO DOM Dominican Republic
GD GRD Grenada
GP GLP Guadeloupe
HT HTI Haiti
JM JAM Jamaica
KN KNA Saint Kitts and Nevis
KY CYM Cayman Islands
LC LCA Saint Lucia
MF MAF Saint Martin|Saint Martin (French part)
MQ MTQ Martinique
MS MSR Montserrat
PR PRI Puerto Rico
SX SXM Sint Maarten|Sint Maarten (Dutch part)
TC TCA Turks and Caicos Islands
TT TTO Trinidad and Tobago|Trinidad|Trinadad and Tobago
VC VCT Saint Vincent and the Grenadines
VG VGB British Virgin Islands|Virgin Islands, British
VI VIR United States Virgin Islands|US Virgin Islands|Virgin Islands, U.S.
Americas: Central America
BZ BLZ Belize
CR CRI Costa Rica
GT GTM Guatemala
HN HND Honduras
MX MEX Mexico
NI NIC Nicaragua
PA PAN Panama
SV SLV El Salvador|Salvador
Americas: South America
AR ARG Argentina
BO BOL Bolivia|Plurinational State of Bolivia|Bolivia, Plurinational State of|\
Bolivia (Plurinational State of)
BR BRA Brazil|Brasil
BV BVT Bouvet Island
CL CHL Chile
CO COL Colombia|Columbia
EC ECU Ecuador
FK FLK Falkland Islands|Falkland Islands (Malvinas)|Malvinas
GF GUF French Guiana
GS SGS South Georgia and the South Sandwich Islands
GY GUY Guyana
PE PER Peru
PY PRY Paraguay
SR SUR Suriname
UY URY Uruguay
VE VEN Venezuela|Bolivarian Republic of Venezuela|Venezuela, Bolivarian Republic of|\
Venezuela (Bolivarian Republic of)
Americas: Northern America
BM BMU Bermuda
CA CAN Canada
GL GRL Greenland
PM SPM Saint Pierre and Miquelon
US USA United States|United States of America|U.S.|U.S.A.|America
Asia: Central Asia
KG KGZ Kyrgyzstan|Kyrgyz Republic
KZ KAZ Kazakhstan
TJ TJK Tajikistan
TM TKM Turkmenistan
UZ UZB Uzbekistan
Asia: Eastern Asia
CN CHN China|People's Republic of China|PR China|Mainland China
HK HKG Hong Kong|China, Hong Kong Special Administrative Region|Hong Kong SAR|Hong
JP JPN Japan
KP PRK North Korea|Korea, Democratic People's Republic of|Democratic People's Republic of Korea
KR KOR South Korea|Korea|Korea, Republic of|Republic of Korea
MN MNG Mongolia
MO MAC Macao|Macau|China, Macao Special Administrative Region
TW TWN Taiwan|Taiwan, Province of China|Chinese Taipei
Asia: South-eastern Asia
BN BRN Brunei Darussalam|Brunei
ID IDN Indonesia
KH KHM Cambodia|Kampuchea
LA LAO Laos|Lao People's Democratic Republic|Lao PDR
MM MMR Myanmar|Burma
MY MYS Malaysia
PH PHL Philippines
SG SGP Singapore
TH THA Thailand
TL TLS Timor-Leste|East Timor
VN VNM Viet Nam|Vietnam
Asia: Southern Asia
AF AFG Afghanistan
BD BGD Bangladesh
BT BTN Bhutan
IN IND India
IR IRN Iran|Islamic Republic of Iran|Iran, Islamic Republic of|Iran (Islamic Republic of)|Persia
LK LKA Sri Lanka|Ceylon
MV MDV Maldives
NP NPL Nepal
PK PAK Pakistan
Asia: Western Asia
AE ARE United Arab Emirates|UAE|Emirates
AM ARM Armenia
AZ AZE Azerbaijan
BH BHR Bahrain
CY CYP Cyprus
GE GEO Georgia
IL ISR Israel
IQ IRQ Iraq
JO JOR Jordan
KW KWT Kuwait
LB LBN Lebanon
OM OMN Oman
PS PSE Palestine|State of Palestine|Palestine, State of|Palestinian Territories
QA QAT Qatar
SA SAU Saudi Arabia
SY SYR Syria|Syrian Arab Republic
TR TUR Türkiye|Turkey
YE YEM Yemen
Europe: Eastern Europe
BG BGR Bulgaria
BY BLR Belarus
CZ CZE Czechia|Czech Republic|Czechoslovakia
HU HUN Hungary
MD MDA Moldova|Republic of Moldova|Moldova, Republic of
PL POL Poland
RO ROU Romania
RU RUS Russia|Russian Federation|Soviet Union|USSR
SK SVK Slovakia|Slovak Republic
UA UKR Ukraine
Europe: Northern Europe
AX ALA Åland Islands|Åland
DK DNK Denmark
EE EST Estonia
FI FIN Finland
FO FRO Faroe Islands|Faroes
GB GBR United Kingdom|UK|United Kingdom of Great Britain and Northern Ireland|Great Britain|Britain|England|\
Scotland|Wales|Northern Ireland
GG GGY Guernsey
IE IRL Ireland|Republic of Ireland|Eire
IM IMN Isle of Man
IS ISL Iceland
JE JEY Jersey
LT LTU Lithuania
LV LVA Latvia
NO NOR Norway
SE SWE Sweden
SJ SJM Svalbard and Jan Mayen
Europe: Southern Europe
AD AND Andorra
AL ALB Albania
BA BIH Bosnia and Herzegovina|Bosnia
ES ESP Spain
GI GIB Gibraltar
GR GRC Greece
HR HRV Croatia
IT ITA Italy
ME MNE Montenegro
MK MKD North Macedonia|Macedonia|Republic of North Macedonia|The former Yugoslav Republic of Macedonia
MT MLT Malta
PT PRT Portugal
RS SRB Serbia|Yugoslavia|Serbia and Montenegro
SI SVN Slovenia
SM SMR San Marino
VA VAT Holy See|Vatican|Vatican City|Holy See (Vatican City State)
XK XKX Kosovo
Europe: Western Europe
AT AUT Austria
BE BEL Belgium
CH CHE Switzerland
DE DEU Germany|Federal Republic of Germany|West Germany|East Germany
FR FRA France
LI LIE Liechtenstein
LU LUX Luxembourg
MC MCO Monaco
NL NLD Netherlands|Holland|Kingdom of the Netherlands|Netherlands, Kingdom of the|Holland-Netherlands|\
Holand-Netherlands
Oceania: Australia and New Zealand
AU AUS Australia
CC CCK Cocos (Keeling) Islands|Cocos Islands
CX CXR Christmas Island
HM HMD Heard Island and McDonald Islands
NF NFK Norfolk Island
NZ NZL New Zealand
Oceania: Melanesia
FJ FJI Fiji
NC NCL New Caledonia
PG PNG Papua New Guinea
SB SLB Solomon Islands
VU VUT Vanuatu
Oceania: Micronesia
FM FSM Micronesia|Federated States of Micronesia|Micronesia, Federated States of|\
Micronesia (Federated States of)
GU GUM Guam
KI KIR Kiribati
MH MHL Marshall Islands
MP MNP Northern Mariana Islands
NR NRU Nauru
PW PLW Palau
UM UMI United States Minor Outlying Islands|Outlying US|Outlying-US(Guam-USVI-etc)
Oceania: Polynesia
AS ASM American Samoa
CK COK Cook Islands
NU NIU Niue
PF PYF French Polynesia
PN PCN Pitcairn
TK TKL Tokelau
TO TON Tonga
TV TUV Tuvalu
WF WLF Wallis and Futuna
WS WSM Samoa
Antarctica: Antarctica
AQ ATA Antarctica
"""
