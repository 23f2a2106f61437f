import * as z from 'zod'
import type { SourceRequest } from '../../local/local.ts'
import { usageError } from '../../output/cli-error.ts'
import type { Host } from '../../process/host.ts'
import { readFlagFile } from './files.ts'

interface Options {
  readonly from?: string
  readonly schema?: string
  readonly map?: string
  readonly since?: boolean
}

const Names = z.record(
  z.string(),
  z.strictObject({ table: z.string().optional(), columns: z.record(z.string(), z.string()).optional() }),
)
/** A map of a few names: anything much larger is another file. */
const maxMap = 1024 * 1024

export async function betterAuthRequest(host: Host, options: Options): Promise<SourceRequest> {
  const { from, schema = 'public', map, since = false } = options
  if (from === undefined || !/^postgres(ql)?:\/\//.test(from))
    throw usageError('--from takes the address of a database', 'postern import better-auth --from postgres://…')
  if (/%(?![0-9a-f]{2})/i.test(from))
    throw usageError(
      '--from has a % that encodes nothing',
      'Write %25 in place of each % of its user name and password',
    )
  return {
    kind: 'better-auth',
    from,
    schema,
    isSince: since,
    map: map === undefined ? {} : await mapOf(host, map),
  }
}

async function mapOf(host: Host, file: string): Promise<z.output<typeof Names>> {
  const text = await readFlagFile(host, file, '--map')
  const read = text.length > maxMap ? null : Names.safeParse(parsed(text))
  if (read?.success) return read.data
  throw usageError(
    `${file} is no map of names`,
    'Such as {"user": {"table": "people", "columns": {"name": "full_name"}}}',
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
