/** Other texts that a lenient reader decodes to the bytes of a 32-byte MAC. */
export function sameBytes(mac: string, encoding: 'base64' | 'base64url'): string[] {
  const bytes = Buffer.from(mac, encoding)
  // The last letter holds four bits of the bytes, and two that nobody reads.
  const last = mac.replace(/=$/, '').length - 1
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_')
  const spelled = [
    ...letters.map((letter) => mac.slice(0, last) + letter + mac.slice(last + 1)),
    mac.replaceAll('+', '-').replaceAll('/', '_'),
    mac.replaceAll('-', '+').replaceAll('_', '/'),
    `${mac}=`,
    `${mac} `,
    ` ${mac}`,
    `${mac.slice(0, 9)}\n${mac.slice(9)}`,
    mac.replace(/=$/, ''),
    mac.replace(/=$/, '*'),
  ]
  return spelled.filter((text) => text !== mac && Buffer.from(text, encoding).equals(bytes))
}
