import { Box } from 'ink'
import { useEffect, useReducer } from 'react'
import { displayWidth } from '../../output/width.ts'
import { refusalOf } from '../acts.ts'
import { Field } from '../components/field.tsx'
import { Footer } from '../components/footer.tsx'
import { Options } from '../components/options.tsx'
import { Rule } from '../components/rule.tsx'
import { Switch } from '../components/switch.tsx'
import { Line, Prose } from '../components/words.tsx'
import { chosenIds, pick } from '../field-options.ts'
import {
  type Done,
  type FieldPlan,
  type FormPlan,
  initialValues,
  type Option,
  openly,
  problemsOf,
  type Values,
} from '../form-plan.ts'
import { type FormAction, type FormState, formReducer, startForm } from '../form-state.ts'
import { forms } from '../forms.ts'
import { type Intents, useBindings } from '../hooks/use-bindings.ts'
import { useCall } from '../hooks/use-call.ts'
import { useDesk } from '../hooks/use-desk.ts'
import { type Shell, useShell } from '../hooks/use-shell.ts'
import { type FormName, footerOf } from '../keys.ts'
import { offerNext } from './next-step.ts'

export interface FormScreenProps {
  readonly isActive: boolean
  readonly form: FormName
  /** What is known of its values already. */
  readonly given: Values | undefined
}

/** A few values and one call: sign in, sign up, edit. */
export function FormScreen({ isActive, form, given }: FormScreenProps) {
  const shell = useShell()
  const plan = forms[form]
  const { fields, isLatest } = plan
  const { desk } = shell
  useDesk()
  useEffect(() => {
    if (isLatest) void desk.load()
  }, [isLatest, desk])
  const [state, dispatch] = useReducer(formReducer, undefined, () => startForm(initialValues(plan, shell.desk, given)))
  const finish = ({ sentence, to, next }: Done) => {
    void shell.desk.refresh()
    if (to) shell.go(to)
    else shell.back()
    shell.say(`${sentence}  ·  ${plan.command(state.values)}`, 'good')
    // What lies below is that form already, with what was typed into it.
    if (next && next.form !== shell.below) offerNext(shell, sentence, next)
  }
  const sending = useCall(plan.submit, {
    onDone: finish,
    onFailure: (error) => shell.fail(error, openly(plan, state.values)),
  })
  const send = () => {
    const refusal = refusalOf({ isWrite: true }, shell.isReadOnly)
    const problems = problemsOf(plan, state.values, shell.desk)
    const wrong = fields.findIndex(({ name }) => problems[name] !== undefined)
    if (refusal) shell.refuse(plan.title, refusal)
    else if (wrong >= 0) dispatch({ type: 'show-problems', problems, at: wrong })
    else sending.run(shell.desk, state.values)
  }
  const go = (by: 1 | -1) => () => dispatch({ type: 'go', by, count: fields.length })
  const type = (field: string, text: string) => dispatch({ type: 'type', field, text })
  const choosing = choosingIntents(fields[state.at], state, { shell, dispatch })
  useBindings(
    form,
    {
      ...(sending.isBusy ? {} : choosing),
      'next-field': go(1),
      'previous-field': go(-1),
      submit: () => (state.at < fields.length - 1 ? go(1)() : send()),
      cancel: () => (sending.isBusy ? shell.say('The service is still being asked') : shell.back()),
    },
    isActive,
  )
  return (
    <Box flexDirection="column">
      <Box flexDirection="column" height={shell.height} overflow="hidden">
        <Box flexDirection="column" flexShrink={0}>
          <Fields plan={plan} state={state} isActive={isActive && !sending.isBusy} onChange={type} />
        </Box>
        <Box marginTop={shell.isNarrow ? 0 : 1} flexShrink={0} flexDirection="column" rowGap={shell.isNarrow ? 0 : 1}>
          {plan.note && <Prose text={plan.note(shell.desk)} />}
          {sending.isBusy ? (
            <Line spans={[{ text: 'Asking the service…' }]} />
          ) : (
            <Prose text={plan.command(state.values)} tone="muted" />
          )}
        </Box>
      </Box>
      {!shell.isNarrow && <Rule width={shell.width} />}
      <Footer keys={footerOf(form).map((key) => ({ ...key, isRefused: false }))} width={shell.width} />
    </Box>
  )
}

interface Means {
  readonly shell: Shell
  readonly dispatch: (action: FormAction) => void
}

/** The keys of a field that is not typed into. */
function choosingIntents(
  field: FieldPlan | undefined,
  { values, option }: FormState,
  { shell, dispatch }: Means,
): Intents {
  if (!field) return {}
  const value = values[field.name] ?? ''
  const set = (text: string) => dispatch({ type: 'type', field: field.name, text })
  if (field.isSwitch) return { toggle: () => set(value === 'yes' ? 'no' : 'yes') }
  const options = field.options?.(values) ?? []
  const choose = (index: number) => {
    const { id, label, refusal } = options[index] ?? { id: value, label: field.label }
    // What was given before may be taken back by who could not give it.
    if (refusal && !chosenIds(value).includes(id)) shell.refuse(label, refusal)
    else set(pick(field, value, id))
  }
  const here = optionAt(field, value, { options, option })
  const go = (by: 1 | -1) => () => {
    if (options.length === 0) return
    if (field.isSeveral) dispatch({ type: 'go-option', by, count: options.length })
    else choose((here + by + options.length) % options.length)
  }
  return { toggle: () => (field.isSeveral ? choose(here) : go(1)()), 'next-option': go(1), 'previous-option': go(-1) }
}

/** The option that a key would choose: of one choice, the chosen one. */
function optionAt(
  { isSeveral = false }: FieldPlan,
  value: string,
  { options, option }: { readonly options: readonly Option[]; readonly option: number },
): number {
  if (isSeveral) return option
  return Math.max(
    0,
    options.findIndex(({ id }) => id === value),
  )
}

interface FieldsProps {
  readonly plan: FormPlan
  readonly state: FormState
  readonly isActive: boolean
  readonly onChange: (field: string, text: string) => void
}

function Fields({ plan: { fields }, state, isActive: isTyping, onChange }: FieldsProps) {
  const { width } = useShell()
  const labelWidth = Math.max(...fields.map(({ label }) => displayWidth(label)))
  return fields.map((field, index) => {
    const { name, label, isSecret = false, isSwitch = false, isSeveral = false } = field
    const value = state.values[name] ?? ''
    const shared = { label, labelWidth, isActive: isTyping && index === state.at }
    const options = field.options?.(state.values)
    if (options) {
      const at = optionAt(field, value, { options, option: state.option })
      const rest = { options, at, isSeveral, chosen: chosenIds(value), problem: state.problems[name], width }
      return <Options key={name} {...shared} {...rest} />
    }
    if (isSwitch) return <Switch key={name} {...shared} isOn={value === 'yes'} />
    return (
      <Field
        key={name}
        {...shared}
        value={value}
        isSecret={isSecret}
        hasSign
        problem={state.problems[name]}
        width={width}
        onChange={(text) => onChange(name, text)}
      />
    )
  })
}
