import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { chromiumMissing, chromiumPath } from './chromium.ts'
import {
  openStudioBrowser,
  type StudioBrowser,
  type StudioBrowserOptions,
  type StudioPage,
} from './studio-browser.ts'

/** Whether tests in a browser are skipped: there is none, and `CI` is not set. */
export const left = chromiumPath === undefined && process.env['CI'] !== 'true'
if (left) process.stderr.write(`Studio is not tested in a browser: ${chromiumMissing}.\n`)

/** The studio of the tests of a file. */
export let studio: StudioBrowser

/** The page of the current test. */
export let one: StudioPage

interface StudioTestsOptions extends StudioBrowserOptions {
  /** The address of the page of each test, such as `/#sessions`. */
  readonly path?: string
  /** Console messages of browsers that are not errors. */
  readonly noted?: RegExp
  readonly viewport?: { readonly width: number; readonly height: number }
}

/** Opens a studio for the tests of a file, and a page for each of them; after each, there must be no errors and warnings. */
export function withStudio({ path = '/', noted, viewport, ...options }: StudioTestsOptions = {}) {
  beforeAll(async () => {
    studio = await openStudioBrowser(options)
  })

  beforeEach(async () => {
    one = await studio.open(studio.server.url + path)
    if (viewport) await one.page.setViewportSize(viewport)
  })

  afterEach(async () => {
    await one.page.context().close()
    const complaints = studio.complaints.splice(0)
    expect(complaints.filter((line) => !noted?.test(line))).toEqual([])
  })

  afterAll(async () => {
    await studio?.close()
  })
}
