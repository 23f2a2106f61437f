/** The themes of the terminal UI. `terminal` uses the terminal's own colours. */
export const themeNames = ['terminal', 'dark', 'light', 'high-contrast'] as const
export type ThemeName = (typeof themeNames)[number]
