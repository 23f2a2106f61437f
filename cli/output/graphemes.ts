/** Printable ASCII, and the rules, dots and arrows of our own: a grapheme each and a column each, whatever stands beside it. */
export const plainText =
  /^[\u0020-\u007E\u00B7\u00D7\u2013\u2014\u2018-\u201D\u2022\u2026\u203A\u2190-\u2193\u2500-\u257F\u25CB\u25CF\u276F\u2717]*$/

type Graphemes = Pick<Intl.Segments, 'containing' | typeof Symbol.iterator>

/** Node reads its tables when the first of these is made, for 7 ms: text that is plain but for escapes does without. */
let segmenter: Intl.Segmenter | undefined

/** As `Intl.Segmenter` by its defaults; the build gives it to libraries too. */
export const graphemes = {
  segment(text: string): Graphemes {
    if (plainText.test(text.replaceAll('\u001b', ''))) return plainGraphemes(text)
    segmenter ??= new Intl.Segmenter()
    return segmenter.segment(text)
  },
}

function plainGraphemes(input: string): Graphemes {
  const at = (index: number): Intl.SegmentData => ({ segment: input.charAt(index), index, input })
  return {
    containing: (index = 0) => (index >= 0 && index < input.length ? at(index) : undefined),
    *[Symbol.iterator]() {
      for (let index = 0; index < input.length; index += 1) yield at(index)
    },
  } as Graphemes
}
