/**
 * A QR code as lines of half blocks: what is light is drawn, so that it can be read on a dark ground whatever its colours
 * are. `border`: light around it, in squares; the more, the better a camera finds it. Loaded with its first use.
 */
export async function qrLines(text: string, border: number): Promise<readonly string[]> {
  const { encode } = await import('uqr')
  const { data } = encode(text, { border })
  return data.flatMap((row, line) => (line % 2 === 0 ? [lineOf(row, data[line + 1])] : []))
}

const lineOf = (upper: readonly boolean[], lower: readonly boolean[] | undefined): string =>
  upper.map((isDark, column) => blockOf(!isDark, lower !== undefined && !lower[column])).join('')

function blockOf(isUpperLight: boolean, isLowerLight: boolean): string {
  if (isUpperLight) return isLowerLight ? '█' : '▀'
  return isLowerLight ? '▄' : ' '
}
