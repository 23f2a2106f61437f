import { knownDifferences, olderTerms } from '../../../server/testing/newest-client-differences.ts'
import { organizationSteps } from '../../../server/testing/newest-client-organization-steps.ts'
import { accountSteps, laterSteps } from '../../../server/testing/newest-client-steps.ts'
import { code, table } from './markdown.ts'

const steps = [...accountSteps, ...organizationSteps, ...laterSteps]

/** Each method that the comparison with the newest client calls, and what it finds different. */
export function clientMethodsTable(): string {
  const methods = [...new Set(steps.map(({ method }) => method))]
  return table(
    ['Method', 'Difference'],
    methods.map((method) => [code(method), differencesOf(method).join(' ')]),
  )
}

/** What an earlier step has shown is not said again. */
function differencesOf(method: string): readonly string[] {
  const said = new Set<string>()
  return steps.flatMap((step) => {
    const difference = step.method === method ? (knownDifferences[step.label] ?? olderTerms[step.label]) : undefined
    const shows = difference?.shows.filter((shown) => !said.has(shown)) ?? []
    for (const shown of shows) said.add(shown)
    return difference && shows.length > 0 ? [`${shows.map(code).join(', ')}: ${difference.why}`] : []
  })
}
