import { exitCodes } from '../../shared/exit-codes.ts'
import type { Context } from '../context.ts'
import { findingLines } from '../doctor/findings.ts'
import type { Column } from '../output/cell.ts'
import { table } from '../output/table.ts'
import type { Host } from '../process/host.ts'
import { checkService, type EffectiveSetting, type Trial } from './local.ts'

/** A setting, or one thing that was tried: what the other has is null. */
interface Row {
  readonly name: string
  readonly status: Trial['status']
  readonly value: string | null
  readonly source: string | null
  readonly file: string | null
  readonly message: string | null
}

const ofSetting = (setting: EffectiveSetting): Row => ({ ...setting, status: 'ok', message: null })
const ofTrial = (trial: Trial): Row => ({ ...trial, value: null, source: null, file: null })

const settingColumns: readonly Column<EffectiveSetting>[] = [
  { header: 'Setting', value: ({ name }) => name },
  { header: 'From', value: ({ source, file }) => (file === null ? source : `${source}, by ${file}`) },
  { header: 'Value', value: ({ value }) => value, whole: 'always' },
]

const columns: readonly Column<Row>[] = [
  { header: 'Name', value: ({ name }) => name },
  { header: 'Status', value: ({ status }) => status },
  { header: 'Value', value: ({ value }) => value },
  { header: 'Source', value: ({ source }) => source },
  { header: 'File', value: ({ file }) => file },
  { header: 'Message', value: ({ message }) => message },
]

/** Prints the settings of the service on this machine and what was tried with them. */
export async function showCheck(context: Context, host: Host): Promise<void> {
  const { settings, trials } = await checkService(host)
  const { out } = context
  const items = [...settings.map(ofSetting), ...trials.map(ofTrial)]
  if (out.style.mode === 'people') {
    const { page } = out.style
    const tried = trials.map(({ name, ...trial }) => findingLines({ check: name, mend: null, ...trial }, page))
    out.text([...table(settings, settingColumns, page), '', ...tried].join('\n'), { items })
  } else await out.list(items, columns, { empty: '', id: 'name' })
  if (trials.some(({ status }) => status === 'problem')) context.exitCode = exitCodes.problemFound
}
