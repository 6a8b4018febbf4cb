import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { chromiumMissing, chromiumPath } from './chromium.ts'
import {
  openStudioBrowser,
  type StudioBrowser,
  type StudioBrowserOptions,
  type StudioPage,
} from './studio-browser.ts'

/** Whether tests in a browser are left out: there is none, and nobody insists. */
export const left = chromiumPath === undefined && process.env['CI'] !== 'true'
if (left) process.stderr.write(`Studio is not tested in a browser: ${chromiumMissing}.\n`)

/** The studio of the tests of a file. */
export let studio: StudioBrowser

/** The page of the test that runs. */
export let one: StudioPage

interface StudioTestsOptions extends StudioBrowserOptions {
  /** Where the page of each test begins, such as `/#sessions`. */
  readonly path?: string
  /** Console messages of browsers that are not errors. */
  readonly noted?: RegExp
  readonly viewport?: { readonly width: number; readonly height: number }
}

/** Opens a studio for the tests around it, and a page for each of them; after each, nothing may have been complained of. */
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
