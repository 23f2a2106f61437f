/** Why a browser is redirected to a page with `error=`. */
interface Refusal {
  readonly code: string
  readonly description?: string | undefined
}

/** Returns the target with `error=` in its query. A relative target stays relative. */
export function withError(target: string, { code, description }: Refusal): string {
  const parameters = new URLSearchParams({ error: code, ...(description ? { error_description: description } : {}) })
  const [page = '', ...fragments] = target.split(/(?=#)/)
  return `${page}${page.includes('?') ? '&' : '?'}${parameters.toString()}${fragments.join('')}`
}
