"""The QPalette of a theme, for everything Qt draws by itself."""

from __future__ import annotations

from PySide6.QtGui import QPalette

from anonymizer_gui.theming.tokens import Theme

_Role = QPalette.ColorRole
_TOKENS = {
    _Role.Window: "window",
    _Role.Base: "surface",
    _Role.Button: "surface",
    _Role.AlternateBase: "surface_2",
    _Role.ToolTipBase: "surface",
    _Role.Text: "text",
    _Role.WindowText: "text",
    _Role.ButtonText: "text",
    _Role.ToolTipText: "text",
    _Role.BrightText: "on_accent",
    _Role.PlaceholderText: "text_3",
    _Role.Highlight: "accent_soft",
    _Role.HighlightedText: "text",
    _Role.Accent: "accent",
    _Role.Link: "accent_text",
    _Role.LinkVisited: "accent_text",
    _Role.Light: "surface",
    _Role.Midlight: "grid",
    _Role.Mid: "border",
    _Role.Dark: "border_strong",
    _Role.Shadow: "border_strong",
}
_DISABLED = (_Role.Text, _Role.WindowText, _Role.ButtonText, _Role.HighlightedText, _Role.PlaceholderText)


def build_palette(theme: Theme) -> QPalette:
    """Map the theme's tokens to palette roles; the disabled group differs in its text only."""
    palette = QPalette()
    for role, token in _TOKENS.items():
        palette.setColor(QPalette.ColorGroup.All, role, theme.color(token))
    for role in _DISABLED:
        palette.setColor(QPalette.ColorGroup.Disabled, role, theme.color("text_disabled"))
    return palette
