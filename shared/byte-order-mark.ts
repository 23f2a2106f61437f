/** The text without the byte order mark that editors on Windows put before it, which would become a part of its first name. */
export const withoutByteOrderMark = (text: string): string => text.replace(/^\uFEFF/, '')
