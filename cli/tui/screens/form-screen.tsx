import { useEffect, useMemo, useReducer, useState } from 'react'
import type { FieldTexts, Form, FormField } from '../../flows/flow.ts'
import { withoutSecrets } from '../../flows/form.ts'
import { fieldIndexOf, isWrongPassword, problemsByField } from '../../flows/refusals.ts'
import {
  type FieldProblems,
  type RejectedValues,
  rejectedBefore,
  type Submission,
  submit,
} from '../../flows/submission.ts'
import type { CliError } from '../../output/cli-error.ts'
import type { FooterKey } from '../components/footer.tsx'
import { disabledReasonOf } from '../forms/disabled-reason.ts'
import { ownerWatch, useCall, useFlowContext } from '../hooks/use-action.ts'
import { useBindings } from '../hooks/use-bindings.ts'
import { useKeymap } from '../hooks/use-keymap.ts'
import { useOwnFields, useWhenComplete } from '../hooks/use-own-fields.ts'
import { useAppState, useRestrictions, useShell } from '../hooks/use-shell.ts'
import { footerKeysOf } from '../keymap/key-text.ts'
import type { FormScope } from '../keymap/names.ts'
import { type AppState, begunBy } from '../state/app-state.ts'
import type { AppStore } from '../state/app-store.ts'
import { isServerKnown, serverOf } from '../state/flow-context.ts'
import { type FormAction, type FormState, formReducer, startForm, untouched } from '../state/form-state.ts'
import { Stoppable } from '../state/stoppable.ts'
import { refusalText } from '../text/shown-error.ts'
import { FormBody } from './form-body.tsx'
import { useDraft } from './form-draft.ts'
import { Fields, fieldIntents } from './form-fields.tsx'
import { type Sent, useOutcome } from './form-outcome.ts'

interface FormScreenProps {
  readonly isActive: boolean
  readonly form: (state: AppState) => Form
}

/** A form that sends one call. */
export function FormScreen({ isActive, form: formOf }: FormScreenProps) {
  const shell = useShell()
  const { store } = shell
  const app = useAppState()
  const first = useForm(formOf, app)
  const disabledReasonNow = useDisabledReason(first)
  useReload(first, store)
  const draft = useDraft(first)
  const [typed, dispatch] = useReducer(formReducer, undefined, () => startOf(first, serverOf(store), draft.kept))
  const { form, state, isIncomplete } = useOwnFields(first, typed)
  const { fields, askServer } = useFields(form, store)
  const finish = useOutcome({ form, formOf, texts: state.values, draft })
  const ports = useFlowContext()
  const [stoppable] = useState(() => new Stoppable())
  const submission: Submission<FieldTexts, Sent> = {
    check: (texts) => onlyOf(fields, form.problems(texts)),
    send: async (texts) => {
      const isOwn = ownerWatch(store)
      const done = await form.submit(stoppable.begin(ports()), texts)
      return { done, isOwn: isOwn(done) }
    },
    refused: (refusal, error) => refusedIn(fields, refusal, error),
  }
  const show = (rejected: RejectedValues) => dispatch(showing(rejected, fields))
  const sending = useCall((texts: FieldTexts) => submit(submission, texts), {
    onDone: (outcome) => ('accepted' in outcome ? finish(outcome.accepted) : show(outcome)),
    onFailure: (error) => shell.fail(error, withoutSecrets(form, state.values)),
  })
  const { send, isDue, recall } = useWhenComplete(isIncomplete, () => {
    const disabledReason = disabledReasonNow(form)
    const rejected = rejectedBefore(submission, state.values)
    if (disabledReason) shell.sayDisabled(form.title, disabledReason)
    else if (rejected) show(rejected)
    else sending.run(state.values)
  })
  const isBusy = isDue || sending.isBusy
  const type = (field: string, text: string, problem?: string) => {
    dispatch({ type: 'type', field, text, problem })
    dispatch({ type: 'propose', texts: untouched(state, form.proposals({ ...state.values, [field]: text })) })
  }
  const go = (by: 1 | -1) => () => {
    judgeLeft(fields[state.at], state, { form, dispatch })
    dispatch({ type: 'go', by, count: fields.length })
  }
  const scope = scopeOf(fields[state.at])
  useBindings(
    scope,
    {
      ...(isBusy ? {} : fieldIntents(fields[state.at], state, { shell, dispatch })),
      'next-field': go(1),
      'previous-field': go(-1),
      reveal: () => dispatch({ type: 'reveal' }),
      ...(askServer && { 'other-server': askServer }),
      submit: () => (state.at < fields.length - 1 ? go(1)() : send()),
      cancel: () => {
        if (sending.isBusy)
          return shell.say(stoppable.stop() ? 'Stopping after this one' : 'Still waiting for the service')
        recall()
        if (draft.keep(form, state.values)) shell.say('Your draft is kept for when you come back')
        shell.back()
      },
    },
    isActive,
  )
  return (
    <FormBody {...{ form, fields, state, isBusy }} keys={useFormKeys(scope, fields, askServer)}>
      <Fields fields={fields} state={state} isActive={isActive && !isBusy} onChange={type} />
    </FormBody>
  )
}

/**
 * The form of the moment. A form of a user stays as it was while the session is over: the initial texts are missing then,
 * and what was typed would seem to replace nothing.
 */
function useForm(formOf: FormScreenProps['form'], app: AppState): Form {
  // It can be about thousands of rows, which no key has to look at again.
  const made = useMemo(() => formOf(app), [formOf, app])
  const [ofUser, keep] = useState<Form>()
  if (app.me && made !== ofUser) keep(made)
  return app.me || made.isForAnyone ? made : (ofUser ?? made)
}

/** Why the form cannot be sent: now, or any more by who is signed in by then. */
function useDisabledReason(first: Form): (form: Form) => string | undefined {
  const { store } = useShell()
  const mode = useRestrictions()
  const [notAllowed] = useState(() => begunBy(store.state, first))
  return (form) => notAllowed(store.state) ?? disabledReasonOf({ ...form, writes: true }, mode)
}

/** Shows the problems, and empties a password that was wrong. */
function showing({ problems, refusal }: RejectedValues, fields: readonly FormField[]): FormAction {
  const at = fields.findIndex(({ name }) => problems[name] !== undefined)
  const emptied = refusal && isWrongPassword(refusal.code) ? fields[at]?.name : undefined
  return { type: 'show-problems', problems, at, emptied }
}

interface FormOnScreen {
  readonly form: Form
  readonly dispatch: (action: FormAction) => void
}

/** Checks the field that the user leaves. An empty one is not wrong before the form is sent. */
function judgeLeft(left: FormField | undefined, { values }: FormState, { form, dispatch }: FormOnScreen): void {
  const text = values[left?.name ?? ''] ?? ''
  if (!left || text === '' || text === form.initial[left.name]) return
  dispatch({ type: 'judge', field: left.name, problem: form.problems(values)[left.name] })
}

interface ShownFields {
  readonly fields: readonly FormField[]
  /** Shows the server field. Undefined when it is shown or the form has none. */
  readonly askServer: (() => void) | undefined
}

/** Shows the server field when no server is known, or when the user asks for it. */
function useFields({ fields }: Form, store: AppStore): ShownFields {
  const [isAsked, ask] = useState(() => !isServerKnown(store))
  const shown = isAsked ? fields : fields.filter(({ kind }) => kind !== 'server')
  return { fields: shown, askServer: shown.length < fields.length ? () => ask(true) : undefined }
}

/** Leaves out keys without effect in this form. */
const useFormKeys = (
  scope: FormScope,
  fields: readonly FormField[],
  askServer: (() => void) | undefined,
): readonly FooterKey[] =>
  footerKeysOf(useKeymap(), scope)
    .filter(({ intent }) => intent !== 'reveal' || fields.some(({ isSecret }) => isSecret))
    .filter(({ intent }) => intent !== 'other-server' || askServer !== undefined)

const onlyOf = (fields: readonly FormField[], problems: FieldProblems): FieldProblems =>
  Object.fromEntries(Object.entries(problems).filter(([name]) => fields.some((field) => field.name === name)))

/** The problems to show below the refused fields. */
function refusedIn(fields: readonly FormField[], refusal: CliError, error: unknown): FieldProblems {
  const problems = onlyOf(fields, problemsByField({ fields }, refusal))
  if (Object.keys(problems).length > 0) return problems
  const name = fields[fieldIndexOf({ fields }, refusal) ?? -1]?.name
  return name === undefined ? {} : { [name]: refusalText(error) }
}

/** The other initial texts are those of the moment. */
const startOf = (first: Form, server: string, kept: FieldTexts): FormState =>
  startForm({ server: first.initial['server'] ?? server, ...kept }, firstFieldOf(first))

/** Starts at the secret when the fields before it are filled in. */
function firstFieldOf({ fields, initial }: Form): number {
  const secret = fields.findIndex(({ isSecret }) => isSecret)
  return fields.slice(0, secret).every(({ name }) => initial[name]) ? Math.max(0, secret) : 0
}

/** Reloads, since others may have changed the form's values. */
function useReload({ readsLatest }: Form, store: AppStore): void {
  useEffect(() => {
    if (readsLatest) void store.load()
  }, [readsLatest, store])
}

/** The key scope of the current field. */
const scopeOf = ({ options, kind }: Partial<FormField> = {}): FormScope => {
  if (options) return 'choosing'
  return kind === 'toggle' ? 'toggling' : 'form'
}
