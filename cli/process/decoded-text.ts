/** The text without the byte order mark that editors on Windows put before it. */
export const withoutByteOrderMark = (text: string): string => text.replace(/^\uFEFF/, '')

/** Whether a decoder had to replace bytes, because they were not UTF-8. */
export const hasReplacements = (text: string): boolean => text.includes('\uFFFD')
