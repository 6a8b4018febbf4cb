import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'

/** Where the browser is, or undefined if this machine has none. */
export const chromiumPath: string | undefined = [process.env['CHROMIUM_PATH'] ?? ''].find(
  existsSync,
)

/** Why browser tests cannot run here, for the name of the skipped suite. */
export const chromiumMissing =
  'no Chromium was found; install it (apt-get install chromium) or set CHROMIUM_PATH'

/** Starts a real browser without a window. */
export async function launchChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error(`Browser tests cannot run: ${chromiumMissing}.`)
  return chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--no-sandbox',
      '--headless=new',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
