import { cleanLabel, maxLabelLength } from '../../shared/label.ts'
import { usageError } from '../output/cli-error.ts'
import type { Host } from '../process/host.ts'
import { parseSwitch, type Setting } from './settings.ts'

/** Read by the host, as the operating system names it. */
export type Labelled = Pick<Host, 'env' | 'hostname'>

/** What this machine is called in the list of sessions: as the flag says, or by its name in its own network. */
export function labelOf({ value, from }: Setting<string | undefined>, { env, hostname = '' }: Labelled): string | null {
  if (value !== undefined) return checkedLabel(value, from)
  if (parseSwitch(env['POSTERN_NO_LABEL'] || 'off', 'POSTERN_NO_LABEL')) return null
  const [name = ''] = hostname.split('.')
  return name === 'localhost' ? null : cleanLabel(name)
}

function checkedLabel(text: string, flag: string): string {
  const label = cleanLabel(text)
  if (label === null) throw usageError(`${flag} is empty`, 'To send none: POSTERN_NO_LABEL=on', [flag])
  if (Array.from(text.trim()).length > maxLabelLength)
    throw usageError(`${flag} has more than ${maxLabelLength} characters`, 'Give a short name: --label laptop', [flag])
  return label
}
