/** XChaCha20-Poly1305 in hex, with the version of its secret or without. */
const encrypted = /^(?:\$ba\$\d+\$)?(?:[0-9a-f]{2}){40,}$/

/** Whether better-auth encrypted the text. */
export const isEncrypted = (text: string): boolean => encrypted.test(text)
