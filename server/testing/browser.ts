import { existsSync } from 'node:fs'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const path = process.env.CHROMIUM ?? '/usr/bin/chromium'

const flags = [
  // Its sandbox refuses to run as root.
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export interface OpenBrowser {
  newPage(): Promise<Page>
  close(): Promise<void>
}

/** A Chromium with an empty profile; throws a sentence where there is none, since a skipped test proves nothing. */
export async function openBrowser(options: BrowserContextOptions = {}): Promise<OpenBrowser> {
  if (!existsSync(path))
    throw new Error(
      `There is no Chromium at ${path}. Install it (Debian: apt-get install chromium), or set CHROMIUM to its path.`,
    )
  const browser = await chromium.launch({ executablePath: path, args: flags })
  const context = await browser.newContext(options)
  return { newPage: () => context.newPage(), close: () => browser.close() }
}
