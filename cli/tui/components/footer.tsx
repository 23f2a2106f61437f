import { displayWidth } from '../../output/width.ts'
import { Line, type Span } from './primitives.tsx'

export interface FooterKey {
  readonly key: string
  readonly label: string
  readonly isDisabled?: boolean
  /** Shown however little room there is. */
  readonly isEssential?: boolean
}

const gap = '   '

/**
 * The keys that fit. When there is no room for all, disabled keys are dropped first, then others from the right.
 * Essential keys and the last two (help and back or quit) always stay.
 */
export function fitKeys(keys: readonly FooterKey[], width: number): readonly FooterKey[] {
  const always = new Set([...keys.filter(({ isEssential }) => isEssential), ...keys.slice(-2)])
  const first = keys.filter((key) => !always.has(key))
  const order = [...first.filter(({ isDisabled }) => !isDisabled), ...first.filter(({ isDisabled }) => isDisabled)]
  const kept = new Set(always)
  let used = widthOf([...kept])
  for (const key of order) {
    used += widthOf([key]) + gap.length
    if (used > width) break
    kept.add(key)
  }
  return keys.filter((key) => kept.has(key))
}

const widthOf = (keys: readonly FooterKey[]): number =>
  displayWidth(keys.map(({ key, label, isDisabled }) => `${key} ${isDisabled ? `(${label})` : label}`).join(gap))

/** The keys of this screen. Disabled ones are in brackets as well as dimmed. */
export const Footer = ({ keys, width }: { readonly keys: readonly FooterKey[]; readonly width: number }) => (
  <Line spans={fitKeys(keys, width).flatMap(spansOf)} />
)

const spansOf = ({ key, label, isDisabled }: FooterKey, index: number): Span[] => [
  ...(index > 0 ? [{ text: gap }] : []),
  { text: key, tone: isDisabled ? 'muted' : 'accent' },
  { text: isDisabled ? ` (${label})` : ` ${label}`, tone: 'muted' },
]
