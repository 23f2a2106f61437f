import { newerForms, newerSuccesses, wireFor } from '../../../shared/client-api.ts'
import { codeInBody } from '../../../shared/failure.ts'
import { code, table } from './markdown.ts'

/** What refusals look like with each value of CLIENT_API, where that differs. */
export function clientTermsTable(): string {
  return table(
    ['By default', 'With `CLIENT_API=1.7`', 'Where'],
    [
      ...newerForms.map(({ failure, field, at = [] }) => {
        const told = { failure, field }
        const [older, newer] = (['1.2', '1.7'] as const).map((api) => wireFor(api, at[0] ?? '', told))
        return [shown(older), shown(newer), at.map((path) => code(path)).join(', ')]
      }),
      ...newerSuccesses.map(({ failure, at }) => [shown(wireFor('1.2', at, { failure })), 'success', code(at)]),
    ],
  )
}

const shown = (form: ReturnType<typeof wireFor> | undefined): string => {
  const sent = codeInBody(form?.body ?? null)
  return `${form?.status} ${sent === undefined ? 'with an empty body' : shownCode(sent)}`
}

/** A code that names what the caller sent, such as a provider, with dots in its place. */
export const shownCode = (sent: string): string => code(sent.replace('CALLBACKURL_', '…_'))
