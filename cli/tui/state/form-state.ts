export interface FormState {
  /** By field name. Until `withInitial` adds the others, only of fields that were typed into or proposed. */
  readonly values: Readonly<Record<string, string>>
  /** Index of the current field. */
  readonly at: number
  /** The option that a key would choose, in a field with options. */
  readonly option: number
  /** Problems by field name. */
  readonly problems: Readonly<Record<string, string>>
  /** Fields that the user has typed into, so they get no more proposals. */
  readonly touched: ReadonlySet<string>
  /** Secrets are shown in plain text. */
  readonly isRevealed: boolean
}

export type FormAction =
  | { readonly type: 'type'; readonly field: string; readonly text: string; readonly problem?: string | undefined }
  | { readonly type: 'propose'; readonly texts: Readonly<Record<string, string>> }
  | { readonly type: 'judge'; readonly field: string; readonly problem: string | undefined }
  | { readonly type: 'reveal' }
  | { readonly type: 'go'; readonly by: 1 | -1; readonly count: number }
  | { readonly type: 'go-to'; readonly at: number }
  | { readonly type: 'go-option'; readonly by: 1 | -1; readonly count: number }
  | {
      readonly type: 'show-problems'
      readonly problems: Readonly<Record<string, string>>
      readonly at: number
      /** The field to empty. */
      readonly emptied?: string | undefined
    }

export const startForm = (values: Readonly<Record<string, string>>, at = 0): FormState => ({
  values,
  at,
  option: 0,
  problems: {},
  touched: new Set(Object.keys(values).filter((name) => values[name] !== '')),
  isRevealed: false,
})

export function formReducer(state: FormState, action: FormAction): FormState {
  switch (action.type) {
    case 'type':
      return {
        ...state,
        values: { ...state.values, [action.field]: action.text },
        problems: { ...without(state.problems, action.field), ...judged(action) },
        touched: new Set([...state.touched, action.field]),
      }
    case 'propose':
      return { ...state, values: { ...state.values, ...untouched(state, action.texts) } }
    case 'judge':
      return { ...state, problems: { ...without(state.problems, action.field), ...judged(action) } }
    case 'reveal':
      return { ...state, isRevealed: !state.isRevealed }
    case 'go':
      return { ...state, at: (state.at + action.by + action.count) % action.count, option: 0 }
    case 'go-to':
      return { ...state, at: action.at, option: 0 }
    case 'go-option':
      return { ...state, option: (state.option + action.by + action.count) % action.count }
    case 'show-problems':
      return {
        ...state,
        values: emptied(state.values, action.emptied),
        problems: action.problems,
        at: action.at,
        option: 0,
      }
  }
}

const judged = ({ field, problem }: { readonly field: string; readonly problem?: string | undefined }) =>
  problem === undefined ? {} : { [field]: problem }

const emptied = (values: FormState['values'], name: string | undefined): FormState['values'] =>
  name === undefined ? values : { ...values, [name]: '' }

export const untouched = (
  { touched }: Pick<FormState, 'touched'>,
  texts: Readonly<Record<string, string>>,
): Record<string, string> => Object.fromEntries(Object.entries(texts).filter(([name]) => !touched.has(name)))

const without = (record: Readonly<Record<string, string>>, key: string): Record<string, string> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== key))

/** With the present initial texts: others may have changed them, and fields may have come. What was typed stays. */
export function withInitial(state: FormState, initial: Readonly<Record<string, string>>): FormState {
  const { values, touched } = startForm(initial)
  return { ...state, values: { ...values, ...state.values }, touched: new Set([...touched, ...state.touched]) }
}
