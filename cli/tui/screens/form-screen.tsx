import { Box } from 'ink'
import { useReducer } from 'react'
import { displayWidth } from '../../output/width.ts'
import { refusalOf } from '../acts.ts'
import { Field } from '../components/field.tsx'
import { Footer } from '../components/footer.tsx'
import { Rule } from '../components/rule.tsx'
import { Line, Prose } from '../components/words.tsx'
import { formReducer, startForm } from '../form-state.ts'
import { type FormName, forms, initialValues, problemsOf } from '../forms.ts'
import { useBindings } from '../hooks/use-bindings.ts'
import { useCall } from '../hooks/use-call.ts'
import { useShell } from '../hooks/use-shell.ts'
import { footerOf } from '../keys.ts'

/** A few values and one call: sign in, sign up, edit. */
export function FormScreen({ isActive, form }: { readonly isActive: boolean; readonly form: FormName }) {
  const shell = useShell()
  const plan = forms[form]
  const { fields } = plan
  const [state, dispatch] = useReducer(formReducer, undefined, () => startForm(initialValues(plan, shell.desk)))
  const sending = useCall(plan.submit, {
    onDone: (sentence) => {
      void shell.desk.refresh()
      if (form === 'edit-profile') shell.back()
      else shell.go('home')
      shell.say(`${sentence}  ·  ${plan.command(state.values)}`, 'good')
    },
    onFailure: shell.fail,
  })
  const send = () => {
    const refusal = refusalOf({ isWrite: true }, shell.isReadOnly)
    const problems = problemsOf(plan, state.values)
    const wrong = fields.findIndex(({ name }) => problems[name] !== undefined)
    if (refusal) shell.refuse(plan.title, refusal)
    else if (wrong >= 0) dispatch({ type: 'show-problems', problems, at: wrong })
    else sending.run(shell.desk, state.values)
  }
  const go = (by: 1 | -1) => () => dispatch({ type: 'go', by, count: fields.length })
  useBindings(
    form,
    {
      'next-field': go(1),
      'previous-field': go(-1),
      submit: () => (state.at < fields.length - 1 ? go(1)() : send()),
      cancel: () => (sending.isBusy ? shell.say('The service is still being asked') : shell.back()),
    },
    isActive,
  )
  const labelWidth = Math.max(...fields.map(({ label }) => displayWidth(label)))
  return (
    <Box flexDirection="column">
      <Box flexDirection="column" height={shell.height} overflow="hidden">
        {fields.map(({ name, label, isSecret = false }, index) => (
          <Field
            key={name}
            label={label}
            labelWidth={labelWidth}
            value={state.values[name] ?? ''}
            isSecret={isSecret}
            hasSign
            isActive={isActive && !sending.isBusy && index === state.at}
            problem={state.problems[name]}
            width={shell.width}
            onChange={(text) => dispatch({ type: 'type', field: name, text })}
          />
        ))}
        <Box marginTop={shell.isNarrow ? 0 : 1} flexDirection="column">
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
