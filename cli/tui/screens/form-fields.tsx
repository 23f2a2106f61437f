import type { FormField, Option } from '../../flows/flow.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { displayWidth } from '../../output/width.ts'
import { fitCell } from '../components/columns.ts'
import { indentOf, Problem, problemLines, TextField } from '../components/field.tsx'
import { Line, type Span } from '../components/primitives.tsx'
import { chooseOption, chosenIds } from '../forms/field-options.ts'
import type { Intents } from '../hooks/use-bindings.ts'
import { type Shell, useShell } from '../hooks/use-shell.ts'
import type { FormAction, FormState } from '../state/form-state.ts'
import { symbols, type Tone } from '../theme.ts'

interface FieldContext {
  readonly shell: Shell
  readonly dispatch: (action: FormAction) => void
}

/** The intents of a field with options or a toggle. */
export function fieldIntents(
  field: FormField | undefined,
  { values, option }: FormState,
  { shell, dispatch }: FieldContext,
): Intents {
  if (!field) return {}
  const value = values[field.name] ?? ''
  const set = (text: string) => dispatch({ type: 'type', field: field.name, text })
  if (field.kind === 'toggle') return { toggle: () => set(value === 'yes' ? 'no' : 'yes') }
  const options = field.options ?? []
  const choose = (index: number) => {
    const { id, label, disabledReason } = options[index] ?? { id: value, label: field.label }
    // A disabled option that is chosen already can be removed.
    if (disabledReason && !chosenIds(value).includes(id)) shell.sayDisabled(label, disabledReason)
    else set(chooseOption(field, value, id))
  }
  const here = optionAt(field, value, { options, option })
  const isChosenYet = options.some(({ id }) => id === value)
  const go = (by: 1 | -1) => () => {
    if (options.length === 0) return
    if (field.kind === 'list') dispatch({ type: 'go-option', by, count: options.length })
    // Before anything is chosen, a key chooses the first or the last.
    else choose(((isChosenYet ? here + by : by === 1 ? 0 : -1) + options.length) % options.length)
  }
  return {
    toggle: () => (field.kind === 'list' ? choose(here) : go(1)()),
    'next-option': go(1),
    'previous-option': go(-1),
  }
}

/** The option that a key would choose. In a single choice, the chosen one. */
function optionAt(
  { kind }: FormField,
  value: string,
  { options, option }: { readonly options: readonly Option[]; readonly option: number },
): number {
  if (kind === 'list') return option
  return Math.max(
    0,
    options.findIndex(({ id }) => id === value),
  )
}

interface FieldsProps {
  readonly fields: readonly FormField[]
  readonly state: FormState
  readonly isActive: boolean
  readonly onChange: (field: string, text: string, problem?: string) => void
}

/** Why the current option is disabled. */
function disabledTextIn(field: FormField, { values, option }: FormState): string | undefined {
  const { name, options = [] } = field
  return disabledText(options[optionAt(field, values[name] ?? '', { options, option })])
}

/** The first visible field: fields scroll out until the current one fits with its problem. */
function firstShown(lines: readonly number[], at: number, room: number): number {
  const needed = (start: number) => lines.slice(start, at + 1).reduce((sum, count) => sum + count, 0)
  const start = lines.findIndex((_, index) => needed(index) <= room)
  return start < 0 ? at : Math.min(start, at)
}

interface FieldsLayout {
  readonly labelWidth: number
  /** The first visible field. */
  readonly start: number
  /** Lines from that one to the last. */
  readonly lines: number
}

export function fieldsLayout(
  fields: readonly FormField[],
  state: FormState,
  { width, height }: Pick<Shell, 'width' | 'height'>,
): FieldsLayout {
  // One long label must not take the room of every text.
  const labelWidth = Math.min(Math.floor(width / 2), Math.max(...fields.map(({ label }) => displayWidth(label))))
  const said = (field: FormField, index: number) =>
    state.problems[field.name] ?? (index === state.at ? disabledTextIn(field, state) : undefined)
  const lines = fields.map(
    (field, index) => 1 + problemLines({ text: said(field, index), indent: indentOf(labelWidth), width }).length,
  )
  const start = firstShown(lines, state.at, height)
  return { labelWidth, start, lines: lines.slice(start).reduce((sum, count) => sum + count, 0) }
}

/** The fields of a form. */
export function Fields({ fields, state, isActive: isTyping, onChange }: FieldsProps) {
  const shell = useShell()
  const { width } = shell
  const { labelWidth, start } = fieldsLayout(fields, state, shell)
  return fields.slice(start).map((field, index) => {
    const { name, label, kind, isSecret, options, example } = field
    const value = state.values[name] ?? ''
    const shared = { label, labelWidth, isActive: isTyping && start + index === state.at }
    if (options) {
      const at = optionAt(field, value, { options, option: state.option })
      const rest = {
        options,
        at,
        isSeveral: kind === 'list',
        chosen: chosenIds(value),
        problem: state.problems[name],
        width,
      }
      return <Options key={name} {...shared} {...rest} />
    }
    if (kind === 'toggle') return <Switch key={name} {...shared} isOn={value === 'yes'} />
    return (
      <TextField
        key={name}
        {...shared}
        value={value}
        isSecret={isSecret}
        isRevealed={state.isRevealed}
        isSuggested={value !== '' && !state.touched.has(name)}
        example={isSecret ? undefined : example}
        hasSign
        problem={state.problems[name]}
        width={width}
        onChange={(text, said) => onChange(name, text, said)}
      />
    )
  })
}

interface OptionsProps {
  readonly label: string
  readonly labelWidth: number
  readonly options: readonly Option[]
  readonly chosen: readonly string[]
  /** Index of the option that a key would choose. */
  readonly at: number
  readonly isSeveral: boolean
  readonly isActive: boolean
  readonly problem: string | undefined
  readonly width: number
}

/** One or several options, in one line of a form. A disabled option explains itself when the user reaches it. */
export function Options(props: OptionsProps) {
  const { label, labelWidth, options, at, isActive, width } = props
  const boxes = options.map((option, index) => boxOf(option, props, isActive && index === at))
  const order = fits(boxes, width - labelWidth - 4) ? options.map((_, index) => index) : fittingOrder(props)
  const isCutBefore = isActive && (order[0] ?? 0) > 0
  const spanAt = (index: number) => spanOf(boxes[index] ?? '', isActive && index === at, options[index])
  return (
    <>
      <Line
        spans={[
          {
            text: `${isActive ? symbols.cursor : ' '} ${fitCell(label, labelWidth)} `,
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

/**
 * Indexes of the options in the order shown when not all fit: from the current one on, or the chosen ones first when
 * the field is inactive.
 */
function fittingOrder(props: OptionsProps): readonly number[] {
  const { options, at, isActive } = props
  const all = options.map((_, index) => index)
  if (isActive) return all.slice(Math.max(0, at))
  const isFirst = (index: number) => isChosen(options[index]?.id, props)
  return [...all.filter(isFirst), ...all.filter((index) => !isFirst(index))]
}

/** The field's problem, otherwise why the current option is disabled. */
function Note({ options, at, isActive, problem, labelWidth, width }: OptionsProps) {
  const why = isActive ? disabledText(options[at]) : undefined
  const tone = problem === undefined ? 'warning' : 'danger'
  return <Problem text={problem ?? why} tone={tone} indent={labelWidth + 3} width={width} />
}

const disabledText = (option: Option | undefined): string | undefined =>
  option?.disabledReason ? `${option.label}: ${option.disabledReason}` : undefined

/** The current option has a symbol, since not all terminals show colour and weight. */
function boxOf({ id, label }: Option, props: OptionsProps, isHere: boolean): string {
  const sign = isChosen(id, props) ? 'x' : ' '
  return `${isHere ? symbols.cursor : ' '}${props.isSeveral ? `[${sign}]` : `(${sign})`} ${escapeControls(label)}  `
}

/** In a single choice without a value, the empty option counts as chosen. */
const isChosen = (id: string | undefined, { chosen, isSeveral }: OptionsProps): boolean =>
  id !== undefined && (chosen.includes(id) || (!isSeveral && chosen.length === 0 && id === ''))

const fits = (boxes: readonly string[], room: number): boolean => displayWidth(boxes.join('').trimEnd()) <= room

const spanOf = (text: string, isHere: boolean, option: Option | undefined): Span => ({
  text,
  isBold: isHere,
  isInverse: isHere,
  tone: toneOf(isHere, option?.disabledReason),
})

function toneOf(isHere: boolean, disabledReason: string | undefined): Tone {
  if (disabledReason) return 'muted'
  return isHere ? 'accent' : 'plain'
}

interface SwitchProps {
  readonly label: string
  readonly labelWidth: number
  readonly isOn: boolean
  readonly isActive: boolean
}

/** A yes/no field of a form. */
function Switch({ label, labelWidth, isOn, isActive }: SwitchProps) {
  const tone: Tone = isActive ? 'accent' : 'muted'
  return (
    <Line
      spans={[
        { text: `${isActive ? symbols.cursor : ' '} ${fitCell(label, labelWidth)} `, tone },
        { text: isOn ? '[x] yes' : '[ ] no' },
      ]}
    />
  )
}
