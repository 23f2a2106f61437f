import type { Context } from '../../context.ts'
import { countText } from '../../output/words.ts'

/** Milliseconds between two lines where no terminal shows a bar. */
const lineEvery = 10_000
const barWidth = 30

interface Progress {
  show(done: number, size: number | null, records: number): void
  /** Clears the bar. */
  end(): void
}

/** A bar on a terminal; lines now and then elsewhere. Nothing where a program reads JSON. */
export function createProgress({ host, out }: Context): Progress {
  if (host.stderr.isTTY) return barOn(host.stderr)
  let last = host.now()
  return {
    show(done, size, records) {
      if (host.now() - last < lineEvery) return
      last = host.now()
      out.note(progressText(done, size, records))
    },
    end: () => undefined,
  }
}

function barOn(stream: NodeJS.WriteStream): Progress {
  let isShown = false
  return {
    show(done, size, records) {
      isShown = true
      stream.write(`\r\u001b[K${bar(done, size)}${progressText(done, size, records)}`)
    },
    end() {
      if (isShown) stream.write('\r\u001b[K')
      isShown = false
    },
  }
}

function bar(done: number, size: number | null): string {
  if (size === null || size === 0) return ''
  const full = Math.round((barWidth * Math.min(done, size)) / size)
  return `[${'#'.repeat(full)}${'.'.repeat(barWidth - full)}] `
}

function progressText(done: number, size: number | null, records: number): string {
  const share = size === null || size === 0 ? '' : `${Math.floor((100 * Math.min(done, size)) / size)}%, `
  return `${share}${countText(records)} ${records === 1 ? 'record' : 'records'}`
}
