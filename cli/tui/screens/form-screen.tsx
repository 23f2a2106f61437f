import { Box } from 'ink'
import { useReducer } from 'react'
import { displayWidth } from '../../output/width.ts'
import { refusalOf } from '../acts.ts'
import { Field } from '../components/field.tsx'
import { Footer } from '../components/footer.tsx'
import { Rule } from '../components/rule.tsx'
import { Switch } from '../components/switch.tsx'
import { Line, Prose } from '../components/words.tsx'
import { type Done, type FormPlan, initialValues, openly, problemsOf, type Values } from '../form-plan.ts'
import { type FormState, formReducer, startForm } from '../form-state.ts'
import { forms } from '../forms.ts'
import { useBindings } from '../hooks/use-bindings.ts'
import { useCall } from '../hooks/use-call.ts'
import { useShell } from '../hooks/use-shell.ts'
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
  const { fields } = plan
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
  const toggle = () => {
    const { name, isSwitch } = fields[state.at] ?? {}
    if (name && isSwitch && !sending.isBusy) type(name, state.values[name] === 'yes' ? 'no' : 'yes')
  }
  useBindings(
    form,
    {
      toggle,
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
        <Fields plan={plan} state={state} isActive={isActive && !sending.isBusy} onChange={type} />
        <Box marginTop={shell.isNarrow ? 0 : 1} flexDirection="column" rowGap={shell.isNarrow ? 0 : 1}>
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

interface FieldsProps {
  readonly plan: FormPlan
  readonly state: FormState
  readonly isActive: boolean
  readonly onChange: (field: string, text: string) => void
}

function Fields({ plan: { fields }, state, isActive: isTyping, onChange }: FieldsProps) {
  const { width } = useShell()
  const labelWidth = Math.max(...fields.map(({ label }) => displayWidth(label)))
  return fields.map(({ name, label, isSecret = false, isSwitch = false }, index) => {
    const value = state.values[name] ?? ''
    const shared = { label, labelWidth, isActive: isTyping && index === state.at }
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
