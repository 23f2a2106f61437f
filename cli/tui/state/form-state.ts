export interface FormState {
  readonly values: Readonly<Record<string, string>>
  /** Index of the field that is typed into. */
  readonly at: number
  /** Of a field with options, the one that a key would choose. */
  readonly option: number
  /** What is wrong, by field. */
  readonly problems: Readonly<Record<string, string>>
}

export type FormAction =
  | { readonly type: 'type'; readonly field: string; readonly text: string }
  | { readonly type: 'go'; readonly by: 1 | -1; readonly count: number }
  | { readonly type: 'go-option'; readonly by: 1 | -1; readonly count: number }
  | { readonly type: 'show-problems'; readonly problems: Readonly<Record<string, string>>; readonly at: number }

export const startForm = (values: Readonly<Record<string, string>>): FormState => ({
  values,
  at: 0,
  option: 0,
  problems: {},
})

export function formReducer(state: FormState, action: FormAction): FormState {
  switch (action.type) {
    case 'type':
      return {
        ...state,
        values: { ...state.values, [action.field]: action.text },
        problems: without(state.problems, action.field),
      }
    case 'go':
      return { ...state, at: (state.at + action.by + action.count) % action.count, option: 0 }
    case 'go-option':
      return { ...state, option: (state.option + action.by + action.count) % action.count }
    case 'show-problems':
      return { ...state, problems: action.problems, at: action.at, option: 0 }
  }
}

const without = (record: Readonly<Record<string, string>>, key: string): Record<string, string> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== key))
