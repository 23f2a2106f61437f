/** Whether a decoder had to replace bytes, because they were not UTF-8. */
export const hasReplacements = (text: string): boolean => text.includes('\uFFFD')
