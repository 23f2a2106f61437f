import { serviceFailureOf } from '../../client/client.ts'
import type { ApiAnswer } from '../../client/connection.ts'
import type { Context } from '../../context.ts'
import { visible } from '../../output/filter.ts'
import { jsonText } from '../../output/json.ts'

/** Prints an answer as it came; a refusal of the service is a failure of the command. */
export function printAnswer(context: Context, answer: ApiAnswer, include: boolean | undefined): void {
  const isRefused = answer.status < 200 || answer.status > 299
  const body = jsonText(answer.body, context.host.stdout.isTTY ? 2 : undefined)
  if (include)
    context.out.text(`${headOf(answer)}\n\n${body}`, {
      status: answer.status,
      headers: answer.headers,
      body: answer.body,
    })
  else if (!isRefused) context.out.text(body, answer.body as object)
  if (isRefused) throw serviceFailureOf(answer)
}

function headOf({ status, headers }: ApiAnswer): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${visible([value ?? ''].flat().join(', '))}`)
  return [`HTTP ${status}`, ...lines].join('\n')
}
