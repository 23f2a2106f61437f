import type { Context } from '../context.ts'
import { configFindings, stateFindings } from './files.ts'
import type { Finding } from './finding.ts'
import { tryRepair } from './repair.ts'
import { serviceFindings, sessionFindings } from './service.ts'
import { networkFindings, settingFindings } from './settings.ts'
import { completionFindings, nodeFindings, terminalFindings } from './terminal.ts'

/** Everything in its order: what later checks rest on comes first. With `fix` what is safe is mended before it is told. */
export async function examine(context: Context, { fix }: { readonly fix: boolean }): Promise<readonly Finding[]> {
  const mended = fix ? await tryRepair(await localFindings(context)) : []
  return eachOnce([
    ...mended,
    ...nodeFindings(),
    ...(await localFindings(context)),
    ...settingFindings(context),
    ...(await networkFindings(context)),
    ...(await serviceFindings(context)),
    ...(await sessionFindings(context)),
    ...terminalFindings(context),
    ...(await completionFindings(context, fix)),
  ])
}

const localFindings = async (context: Context): Promise<readonly Finding[]> => [
  ...(await configFindings(context)),
  ...(await stateFindings(context)),
]

/** A setting that cannot be read stops several of them, with the same words. */
const eachOnce = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ message }, index) => findings.findIndex((other) => other.message === message) === index)
