import type { FirebaseProject, SourceRequest } from '../../local/local.ts'
import { usageError } from '../../output/cli-error.ts'
import type { Host } from '../../process/host.ts'
import { type Product, products, readablePath, readFlagFile } from './files.ts'

export function exportRequest(
  host: Host,
  product: Product,
  files: readonly string[],
  from: string | undefined,
): SourceRequest {
  const { words, most } = products[product]
  const isDatabase = product === 'supabase' && from !== undefined && files.length === 0
  if (isDatabase && /^postgres(ql)?:\/\//.test(from)) return { kind: 'supabase', from }
  if (from !== undefined || files.length === 0 || files.length > most)
    throw usageError(`${product} takes ${words}`, `postern import ${product} ${words}`)
  return { kind: 'export', product, files: files.map((file) => readablePath(host, file)) }
}

const names = ['base64_signer_key', 'base64_salt_separator', 'rounds', 'mem_cost'] as const

/** What the console of Firebase shows, or the same as JSON. */
export async function hashConfigOf(host: Host, file: string): Promise<FirebaseProject> {
  const text = await readFlagFile(host, file, '--hash-config')
  const [signerKey, saltSeparator, rounds, memCost] = names.map(
    (name) => new RegExp(`\\b${name}"?\\s*:\\s*"?([A-Za-z0-9+/=]+)`).exec(text)?.[1],
  )
  if (signerKey === undefined || saltSeparator === undefined || rounds === undefined || memCost === undefined)
    throw usageError(`${file} does not name ${names.join(', ')}`, 'Copy hash_config from the console of Firebase')
  return { signerKey, saltSeparator, rounds: Number(rounds), memCost: Number(memCost) }
}
