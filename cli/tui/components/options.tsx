import { visible } from '../../output/filter.ts'
import { displayWidth } from '../../output/width.ts'
import { symbols, type Tone } from '../theme.ts'
import { cell } from './columns.ts'
import { Problem } from './field.tsx'
import { Line, type Span } from './words.tsx'

export interface OptionsProps {
  readonly label: string
  readonly labelWidth: number
  readonly options: readonly {
    readonly id: string
    readonly label: string
    readonly disabledReason?: string | undefined
  }[]
  readonly chosen: readonly string[]
  /** Index of the one that a key would choose. */
  readonly at: number
  readonly isSeveral: boolean
  readonly isActive: boolean
  readonly problem: string | undefined
  readonly width: number
}

/** Some of several, or one, in a line among fields to type into. What is disabled says why when a person comes to it. */
export function Options(props: OptionsProps) {
  const { label, labelWidth, options, at, isActive, width } = props
  const boxes = options.map((option, index) => boxOf(option, props, isActive && index === at))
  const room = width - labelWidth - 4
  // What comes before the present one gives way where there is no room for all.
  const start = fits(boxes, room) ? 0 : Math.max(0, at)
  const spanAt = (text: string, index: number) => spanOf(text, isActive && index === at, options[index])
  return (
    <>
      <Line
        spans={[
          {
            text: `${isActive ? symbols.cursor : ' '} ${cell(label, labelWidth)} `,
            tone: isActive ? 'accent' : 'muted',
          },
          ...(start > 0 ? [{ text: '‹ ', tone: 'muted' } as const] : []),
          ...boxes.slice(start).map((text, index) => spanAt(text, start + index)),
        ]}
      />
      <Note {...props} />
    </>
  )
}

/** What is wrong, else why the present one cannot be chosen. */
function Note({ options, at, isActive, problem, labelWidth, width }: OptionsProps) {
  const { label, disabledReason } = (isActive && options[at]) || {}
  const indent = labelWidth + 3
  if (problem !== undefined) return <Problem text={problem} indent={indent} width={width} />
  if (!disabledReason) return null
  return <Line spans={[{ text: `${' '.repeat(indent)}${label}: ${disabledReason}`, tone: 'warning' }]} />
}

/** The present one has a sign: neither colour nor weight is told everywhere. */
function boxOf(
  { id, label }: OptionsProps['options'][number],
  { chosen, isSeveral }: OptionsProps,
  isHere: boolean,
): string {
  const isChosen = chosen.includes(id) || (!isSeveral && chosen.length === 0 && id === '')
  const sign = isChosen ? 'x' : ' '
  return `${isHere ? symbols.cursor : ' '}${isSeveral ? `[${sign}]` : `(${sign})`} ${visible(label)}  `
}

const fits = (boxes: readonly string[], room: number): boolean => displayWidth(boxes.join('').trimEnd()) <= room

const spanOf = (text: string, isHere: boolean, option: OptionsProps['options'][number] | undefined): Span => ({
  text,
  isBold: isHere,
  isInverse: isHere,
  tone: toneOf(isHere, option?.disabledReason),
})

function toneOf(isHere: boolean, disabledReason: string | undefined): Tone {
  if (disabledReason) return 'muted'
  return isHere ? 'accent' : 'plain'
}
