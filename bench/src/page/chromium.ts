import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The path of the browser; undefined if this machine has none. */
export const chromiumPath: string | undefined = [process.env['CHROMIUM_PATH'] ?? ''].find(
  existsSync,
)

/** The reason for missing figures without a browser. */
export const howToInstall =
  'no Chromium was found; install it (apt-get install chromium) or set CHROMIUM_PATH'

/** Starts a real browser without a window and without background work. */
export function launchChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('There is no Chromium to measure pages in.')
  const quiet = ['background-networking', 'component-update', 'sync', 'gpu']
  return chromium.launch({
    executablePath: chromiumPath,
    args: ['--no-sandbox', '--headless=new', ...quiet.map((name) => `--disable-${name}`)],
  })
}
