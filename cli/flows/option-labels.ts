import type { Option } from './flow.ts'

/** Adds the id to labels that occur more than once. */
export const withDistinctLabels = <O extends Pick<Option, 'id' | 'label'>>(options: readonly O[]): readonly O[] =>
  options.map((option) => {
    const isAlone = options.filter(({ label }) => label === option.label).length === 1
    return isAlone ? option : { ...option, label: `${option.label} (${option.id})` }
  })

/** The label of the chosen option; undefined if it is ambiguous or nothing is chosen. */
function labelOf(options: readonly Option[] = [], id = ''): string | undefined {
  const label = options.find((option) => option.id === id && id !== '')?.label
  return options.filter((option) => option.label === label).length === 1 ? label : undefined
}

/** The chosen options by their labels. A list is written with commas, so it has the ids of those with one. */
export function byLabel(options: readonly Option[] | undefined, value: unknown): unknown {
  if (!options) return value
  if (!Array.isArray(value)) return typeof value === 'string' ? (labelOf(options, value) ?? value) : value
  return value.map((id: string) => {
    const label = labelOf(options, id)
    return label === undefined || label.includes(',') ? id : label
  })
}
