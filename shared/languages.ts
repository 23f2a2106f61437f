/** The languages in which pages and mails speak (BCP 47). */
export const languages = ['en', 'de', 'es', 'fr'] as const
export type Language = (typeof languages)[number]

/** A stored language, unless it is one that only another version of the service speaks. */
export const knownLanguage = (stored: string | null | undefined): Language | null =>
  languages.find((language) => language === stored) ?? null
