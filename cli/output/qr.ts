/**
 * A QR code as lines of half blocks. The light modules are drawn, so that it can be read on a dark background whatever
 * its colours. `border`: light modules around it, which help a camera find it. The library is loaded on first use.
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
