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
  const order = fits(boxes, width - labelWidth - 4) ? options.map((_, index) => index) : whereDear(props)
  const isCutBefore = isActive && (order[0] ?? 0) > 0
  const spanAt = (index: number) => spanOf(boxes[index] ?? '', isActive && index === at, options[index])
  return (
    <>
      <Line
        spans={[
          {
            text: `${isActive ? symbols.cursor : ' '} ${cell(label, labelWidth)} `,
            tone: isActive ? 'accent' : 'muted',
          },
          ...(isCutBefore ? [{ text: '‹ ', tone: 'muted' } as const] : []),
          ...order.map(spanAt),
        ]}
      />
      <Note {...props} />
    </>
  )
}

/** By index, where there is no room for all: from the present one on; where no key chooses, what is chosen first. */
function whereDear(props: OptionsProps): readonly number[] {
  const { options, at, isActive } = props
  const all = options.map((_, index) => index)
  if (isActive) return all.slice(Math.max(0, at))
  const isFirst = (index: number) => isChosen(options[index]?.id, props)
  return [...all.filter(isFirst), ...all.filter((index) => !isFirst(index))]
}

/** What is wrong, else why the present one cannot be chosen. */
function Note({ options, at, isActive, problem, labelWidth, width }: OptionsProps) {
  const why = isActive ? whyNotText(options[at]) : undefined
  const tone = problem === undefined ? 'warning' : 'danger'
  return <Problem text={problem ?? why} tone={tone} indent={labelWidth + 3} width={width} />
}

export const whyNotText = (option: OptionsProps['options'][number] | undefined): string | undefined =>
  option?.disabledReason ? `${option.label}: ${option.disabledReason}` : undefined

/** The present one has a sign: neither colour nor weight is told everywhere. */
function boxOf({ id, label }: OptionsProps['options'][number], props: OptionsProps, isHere: boolean): string {
  const sign = isChosen(id, props) ? 'x' : ' '
  return `${isHere ? symbols.cursor : ' '}${props.isSeveral ? `[${sign}]` : `(${sign})`} ${visible(label)}  `
}

/** Of one choice that was not made yet, the empty one is. */
const isChosen = (id: string | undefined, { chosen, isSeveral }: OptionsProps): boolean =>
  id !== undefined && (chosen.includes(id) || (!isSeveral && chosen.length === 0 && id === ''))

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
