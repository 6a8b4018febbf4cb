import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'

/** The path of the browser; undefined if this machine has none. */
export const chromiumPath: string | undefined = [process.env['CHROMIUM_PATH'] ?? ''].find(
  existsSync,
)

/** The reason why browser tests cannot run here, as a suffix of the name of a skipped suite. */
export const chromiumMissing =
  'no Chromium was found; install it (apt-get install chromium) or set CHROMIUM_PATH'

/**
 * Features of Chromium that tests do not need. The address bar alone loads two pages for every context, which takes more processor time
 * than Studio does.
 */
const disabledFeatures = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  // Chromium reads only the last list, so the list of Playwright is appended.
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
]

const browsers = new Set<Browser>()

/** Lists the pages of every running browser. */
export function openPages(): readonly Page[] {
  return [...browsers].flatMap((browser) => browser.contexts()).flatMap((each) => each.pages())
}

/** Starts a real browser without a window. */
export async function launchChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error(`Browser tests cannot run: ${chromiumMissing}.`)
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--no-sandbox',
      '--headless=new',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--disable-features=${disabledFeatures.join(',')}`,
    ],
  })
  browsers.add(browser)
  browser.on('disconnected', () => browsers.delete(browser))
  return browser
}
