/** The languages in which pages and mails speak (BCP 47). */
export const languages = ['en', 'de', 'es', 'fr'] as const
export type Language = (typeof languages)[number]
