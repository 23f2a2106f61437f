import { Box } from 'ink'
import { useEffect, useReducer } from 'react'
import type { Done, Form, FormField, Option } from '../../flows/flow.ts'
import { withoutSecrets } from '../../flows/form.ts'
import { displayWidth } from '../../output/width.ts'
import { TextField } from '../components/field.tsx'
import { Footer } from '../components/footer.tsx'
import { Options } from '../components/options.tsx'
import { Rule } from '../components/rule.tsx'
import { Switch } from '../components/switch.tsx'
import { Line, Prose } from '../components/words.tsx'
import { disabledReasonOf } from '../forms/disabled-reason.ts'
import { chooseOption, chosenIds } from '../forms/field-options.ts'
import { useAppState } from '../hooks/use-app-state.ts'
import { type Intents, useBindings } from '../hooks/use-bindings.ts'
import { useCall } from '../hooks/use-call.ts'
import { useFlowPorts } from '../hooks/use-flow-ports.ts'
import { type Shell, useShell } from '../hooks/use-shell.ts'
import { type FormScope, footerOf } from '../keys/keys.ts'
import type { AppState } from '../state/app-store.ts'
import { serverOf } from '../state/flow-ports.ts'
import { type FormAction, type FormState, formReducer, startForm } from '../state/form-state.ts'
import { offerNext } from './next-step.ts'

export interface FormScreenProps {
  readonly isActive: boolean
  readonly form: (state: AppState) => Form
}

/** A few values and one call: sign in, sign up, edit. */
export function FormScreen({ isActive, form: formOf }: FormScreenProps) {
  const shell = useShell()
  const { store } = shell
  const form = formOf(useAppState())
  const { fields, readsLatest } = form
  useEffect(() => {
    if (readsLatest) void store.load()
  }, [readsLatest, store])
  const [state, dispatch] = useReducer(formReducer, undefined, () =>
    startForm({ server: serverOf(store), ...form.initial }),
  )
  const finish = (done: Done) => {
    const { sentence, leadsHome, next } = done
    void store.refresh()
    if (leadsHome) shell.go('home')
    else shell.back()
    shell.say(`${sentence}  ·  ${form.command(state.values)}`, 'good')
    // What lies below is that form already, with what was typed into it.
    if (next?.title !== shell.below?.title) offerNext(shell, done)
  }
  const ports = useFlowPorts()
  const sending = useCall((texts: Readonly<Record<string, string>>) => form.submit(ports(), texts), {
    onDone: finish,
    onFailure: (error) => shell.fail(error, withoutSecrets(form, state.values)),
  })
  const send = () => {
    const disabledReason = disabledReasonOf({ writes: true, disabledReason: form.disabledReason }, shell.isReadOnly)
    const problems = form.problems(state.values)
    const wrong = fields.findIndex(({ name }) => problems[name] !== undefined)
    if (disabledReason) shell.sayDisabled(form.title, disabledReason)
    else if (wrong >= 0) dispatch({ type: 'show-problems', problems, at: wrong })
    else sending.run(state.values)
  }
  const go = (by: 1 | -1) => () => dispatch({ type: 'go', by, count: fields.length })
  const type = (field: string, text: string) => dispatch({ type: 'type', field, text })
  const choosing = choosingIntents(fields[state.at], state, { shell, dispatch })
  const scope = scopeOf(form)
  useBindings(
    scope,
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
          <Fields form={form} state={state} isActive={isActive && !sending.isBusy} onChange={type} />
        </Box>
        <Box marginTop={shell.isNarrow ? 0 : 1} flexShrink={0} flexDirection="column" rowGap={shell.isNarrow ? 0 : 1}>
          {form.note && <Prose text={form.note} />}
          {sending.isBusy ? (
            <Line spans={[{ text: 'Asking the service…' }]} />
          ) : (
            <Prose text={form.command(state.values)} tone="muted" />
          )}
        </Box>
      </Box>
      {!shell.isNarrow && <Rule width={shell.width} />}
      <Footer keys={footerOf(scope).map((key) => ({ ...key, isDisabled: false }))} width={shell.width} />
    </Box>
  )
}

const scopeOf = ({ fields }: Form): FormScope => {
  if (fields.some(({ options }) => options)) return 'choosing'
  return fields.some(({ kind }) => kind === 'toggle') ? 'toggling' : 'form'
}

interface Means {
  readonly shell: Shell
  readonly dispatch: (action: FormAction) => void
}

/** The keys of a field that is not typed into. */
function choosingIntents(
  field: FormField | undefined,
  { values, option }: FormState,
  { shell, dispatch }: Means,
): Intents {
  if (!field) return {}
  const value = values[field.name] ?? ''
  const set = (text: string) => dispatch({ type: 'type', field: field.name, text })
  if (field.kind === 'toggle') return { toggle: () => set(value === 'yes' ? 'no' : 'yes') }
  const options = field.options ?? []
  const choose = (index: number) => {
    const { id, label, disabledReason } = options[index] ?? { id: value, label: field.label }
    // What was given before may be taken back by who could not give it.
    if (disabledReason && !chosenIds(value).includes(id)) shell.sayDisabled(label, disabledReason)
    else set(chooseOption(field, value, id))
  }
  const here = optionAt(field, value, { options, option })
  const go = (by: 1 | -1) => () => {
    if (options.length === 0) return
    if (field.kind === 'list') dispatch({ type: 'go-option', by, count: options.length })
    else choose((here + by + options.length) % options.length)
  }
  return {
    toggle: () => (field.kind === 'list' ? choose(here) : go(1)()),
    'next-option': go(1),
    'previous-option': go(-1),
  }
}

/** The option that a key would choose: of one choice, the chosen one. */
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
  readonly form: Form
  readonly state: FormState
  readonly isActive: boolean
  readonly onChange: (field: string, text: string) => void
}

function Fields({ form: { fields }, state, isActive: isTyping, onChange }: FieldsProps) {
  const { width } = useShell()
  const labelWidth = Math.max(...fields.map(({ label }) => displayWidth(label)))
  return fields.map((field, index) => {
    const { name, label, kind, isSecret, options } = field
    const value = state.values[name] ?? ''
    const shared = { label, labelWidth, isActive: isTyping && index === state.at }
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
        hasSign
        problem={state.problems[name]}
        width={width}
        onChange={(text) => onChange(name, text)}
      />
    )
  })
}
