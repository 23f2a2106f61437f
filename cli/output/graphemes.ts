/** Printable ASCII and our own rules, dots and arrows: one grapheme and one column each, whatever follows. */
export const plainTextPattern =
  /^[\u0020-\u007E\u00B7\u00D7\u2013\u2014\u2018-\u201D\u2022\u2026\u203A\u2190-\u2193\u2500-\u257F\u25CB\u25CF\u276F\u2717]*$/

type Graphemes = Pick<Intl.Segments, 'containing' | typeof Symbol.iterator>

/** Node loads its tables with the first segmenter, which takes 7 ms. Plain text with escapes does not need it. */
let segmenter: Intl.Segmenter | undefined

/** Like `Intl.Segmenter` with its defaults. The build also substitutes it in libraries. */
export const graphemes = {
  segment(text: string): Graphemes {
    if (plainTextPattern.test(text.replaceAll('\u001b', ''))) return plainGraphemes(text)
    segmenter ??= new Intl.Segmenter()
    return text.length > partLength ? graphemesInParts(segmenter, text) : segmenter.segment(text)
  },
}

/** Node takes time that grows with the square of a text: a second for 60,000 letters. A longer grapheme is cut. */
const partLength = 1000

function graphemesInParts(whole: Intl.Segmenter, input: string): Graphemes {
  return {
    containing: (index) => whole.segment(input).containing(index),
    *[Symbol.iterator]() {
      for (let start = 0; start < input.length; ) {
        const part = input.slice(start, endOfCharacter(input, start + partLength))
        const found = [...whole.segment(part)]
        // The last one may go on in the next part.
        if (start + part.length < input.length && found.length > 1) found.pop()
        for (const { segment, index } of found) yield { segment, index: start + index, input }
        start += found.reduce((length, { segment }) => length + segment.length, 0)
      }
    },
  } as Graphemes
}

/** The next place where no pair of surrogates is split: half of one would join no grapheme before it. */
const endOfCharacter = (text: string, at: number): number => at + ((text.codePointAt(at - 1) ?? 0) > 0xffff ? 1 : 0)

function plainGraphemes(input: string): Graphemes {
  const at = (index: number): Intl.SegmentData => ({ segment: input.charAt(index), index, input })
  return {
    containing: (index = 0) => (index >= 0 && index < input.length ? at(index) : undefined),
    *[Symbol.iterator]() {
      for (let index = 0; index < input.length; index += 1) yield at(index)
    },
  } as Graphemes
}
