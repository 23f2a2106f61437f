import { displayWidth } from '../../output/width.ts'
import { Line, type Span } from './words.tsx'

export interface FooterKey {
  readonly key: string
  readonly label: string
  readonly isDisabled: boolean
}

const gap = '   '

/** The keys that fit, from the left; the last two (help and the way out) always stay. */
export function fitKeys(keys: readonly FooterKey[], width: number): readonly FooterKey[] {
  const always = keys.slice(-2)
  const kept: FooterKey[] = []
  let used = widthOf(always)
  for (const key of keys.slice(0, -2)) {
    used += widthOf([key]) + gap.length
    if (used > width) break
    kept.push(key)
  }
  return [...kept, ...always]
}

const widthOf = (keys: readonly FooterKey[]): number =>
  displayWidth(keys.map(({ key, label, isDisabled }) => `${key} ${isDisabled ? `(${label})` : label}`).join(gap))

/** This screen's keys. One that is disabled now is shown as such by brackets, not only by its paleness. */
export const Footer = ({ keys, width }: { readonly keys: readonly FooterKey[]; readonly width: number }) => (
  <Line spans={fitKeys(keys, width).flatMap(spansOf)} />
)

const spansOf = ({ key, label, isDisabled }: FooterKey, index: number): Span[] => [
  ...(index > 0 ? [{ text: gap }] : []),
  { text: key, tone: isDisabled ? 'muted' : 'accent' },
  { text: isDisabled ? ` (${label})` : ` ${label}`, tone: 'muted' },
]
