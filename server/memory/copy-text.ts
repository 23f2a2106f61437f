/**
 * A copy. V8 cuts strings without copying, so a remembered part of a row or a header would keep all of it in memory. For
 * text without lone surrogates, which UTF-8 cannot hold.
 */
export const copyText = (text: string): string => Buffer.from(text).toString()
