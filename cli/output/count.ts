/** `1,301`: a number for people. */
export const countText = (count: number): string => count.toLocaleString('en')
