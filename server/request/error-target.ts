/** Why a browser is redirected to a page with `error=`. */
interface RedirectErrorDetails {
  readonly code: string
  readonly description?: string | undefined
}

/** Returns the target with `error=` in its query. A relative target stays relative. */
export function addErrorToTarget(target: string, { code, description }: RedirectErrorDetails): string {
  const parameters = new URLSearchParams({ error: code, ...(description ? { error_description: description } : {}) })
  const [page = '', ...fragments] = target.split(/(?=#)/)
  return `${page}${page.includes('?') ? '&' : '?'}${parameters.toString()}${fragments.join('')}`
}
