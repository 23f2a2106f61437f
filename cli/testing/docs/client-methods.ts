import { knownDifferences } from '../../../server/testing/newest-client-differences.ts'
import { organizationSteps } from '../../../server/testing/newest-client-organization-steps.ts'
import { accountSteps, laterSteps } from '../../../server/testing/newest-client-steps.ts'
import { code, table } from './markdown.ts'

const steps = [...accountSteps, ...organizationSteps, ...laterSteps]

/** The methods that the comparison with the newest client calls: what it finds different besides terms, and where it finds nothing. */
export function clientMethodsTable(): string {
  const methods = [...new Set(steps.map(({ method }) => method))]
  const rows = methods.map((method) => [code(method), differencesOf(method).join(' ')] as const)
  const same = rows.flatMap(([method, differences]) => (differences === '' ? [method] : []))
  const different = rows.filter(([, differences]) => differences !== '')
  return `${table(['Method', 'Postern, instead of better-auth'], different)}\n\nNothing else differs in ${same.join(', ')}.`
}

/** What an earlier step has shown is not said again. */
function differencesOf(method: string): readonly string[] {
  const said = new Set<string>()
  return steps.flatMap((step) => {
    const difference = step.method === method ? knownDifferences[step.label] : undefined
    const shows = difference?.shows.filter((shown) => !said.has(shown)) ?? []
    for (const shown of shows) said.add(shown)
    return difference && shows.length > 0 ? [`${shows.map(code).join(', ')}: ${difference.why}`] : []
  })
}
