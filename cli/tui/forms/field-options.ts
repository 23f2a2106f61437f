import type { FormField, Option } from '../../flows/flow.ts'

export const chosenIds = (value: string): readonly string[] => (value === '' ? [] : value.split(','))

/** The value after a key press on an option: toggles it in a list, replaces the value otherwise. */
export function chooseOption({ kind }: Pick<FormField, 'kind'>, value: string, id: string): string {
  if (kind !== 'list') return id
  const ids = chosenIds(value)
  return (ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id]).join(',')
}

/** Parses typed labels or ids, separated by commas. Returns a problem for an invalid text. */
export function readOptions(
  { options: offered = [], kind, label }: Pick<FormField, 'options' | 'kind' | 'label'>,
  text: string,
): { readonly value: string } | { readonly problem: string } {
  if (kind === 'list' && text.trim() === '') return { value: '' }
  const words = kind === 'list' ? text.split(',').map((word) => word.trim()) : [text.trim()]
  const found = words.map((word) => offered.find((option) => isNamed(option, word)))
  const unknown = words.find((_, index) => !found[index])
  if (unknown !== undefined) return { problem: `${label}: there is no ${unknown}` }
  const disabled = found.find((option) => option?.disabledReason)
  if (disabled) return { problem: `${disabled.label}: ${disabled.disabledReason}` }
  return { value: [...new Set(found.map((option) => option?.id ?? ''))].join(',') }
}

const isNamed = ({ id, label }: Option, word: string): boolean => word === id || word === label
