import { existsSync } from 'node:fs'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { useStarted } from './use-service.ts'

const path = process.env.CHROMIUM ?? '/usr/bin/chromium'

const flags = [
  // Its sandbox refuses to run as root.
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  // Sites of tests, all on this machine.
  '--host-resolver-rules=MAP *.test 127.0.0.1',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Milliseconds for whatever is waited for: a busy machine lets a browser stand still for seconds. */
const patience = 50_000

export interface OpenBrowser {
  newPage(): Promise<Page>
  /** A page, with what it complains about and asks for from now on. */
  watchPage(): Promise<WatchedPage>
  stop(): Promise<void>
}

interface WatchedPage {
  readonly page: Page
  /** What its console says, its scripts throw and its dialogs ask. */
  readonly complaints: readonly string[]
  /** The addresses that it asks for. */
  readonly asked: readonly string[]
}

/** A Chromium with an empty profile; throws a sentence where there is none, since a skipped test proves nothing. */
export async function openBrowser(options: BrowserContextOptions = {}): Promise<OpenBrowser> {
  if (!existsSync(path))
    throw new Error(
      `There is no Chromium at ${path}. Install it (Debian: apt-get install chromium), or set CHROMIUM to its path.`,
    )
  const browser = await chromium.launch({ executablePath: path, args: flags, timeout: patience })
  const context = await browser.newContext(options)
  context.setDefaultTimeout(patience)
  const newPage = () => context.newPage()
  return { newPage, watchPage: async () => watch(await newPage()), stop: () => browser.close() }
}

/** The same for all tests of a file, or of a part of it. */
export const useBrowser = (options?: BrowserContextOptions): OpenBrowser => useStarted(() => openBrowser(options))

function watch(page: Page): WatchedPage {
  const complaints: string[] = []
  const asked: string[] = []
  page.on('console', (message) => {
    // Where a test was faster than the page, on a busy machine, and has filled a field already.
    if (!message.text().startsWith('Autofocus processing was blocked')) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('dialog', (dialog) => {
    complaints.push(dialog.message())
    void dialog.dismiss()
  })
  page.on('request', (request) => asked.push(request.url()))
  return { page, complaints, asked }
}
