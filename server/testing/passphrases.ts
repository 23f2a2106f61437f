import fc from 'fast-check'

/** First and last letter of alphabets, then of syllables, ideographs and pictures. */
const scripts = ['az', 'αω', 'ая', 'את', 'بي', 'कह', 'กฮ', 'ぁん', 'ァヶ', '가힣', '一龥', '😀🙏', '!/']

const word = fc
  .constantFrom(...scripts)
  .chain((script) => fc.string({ unit: letterOf(script), minLength: 3, maxLength: 8 }))

function letterOf(script: string) {
  const [min = 0, max = min] = Array.from(script, (letter) => letter.codePointAt(0) ?? 0)
  return fc.integer({ min, max }).map((point) => String.fromCodePoint(point))
}

/** A few words, each of one script, with something between them: 12 to 100 code points. */
export const passphrase = fc
  .tuple(fc.array(word, { minLength: 3, maxLength: 9 }), fc.constantFrom(' ', '-', '  ', '\u00a0', ', '))
  .map(([words, between]) => words.join(between))
