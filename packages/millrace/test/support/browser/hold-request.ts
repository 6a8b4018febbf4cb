import type { Page } from 'playwright-core'

/** A request that a page has sent and the server has not received yet. */
export interface HeldRequest {
  /** Settles when the page has sent it. */
  readonly arrived: Promise<unknown>
  /** Sends it on to the server. */
  readonly release: () => void
}

/** Holds the requests of a page to a path of the agent routes until they are released. */
export async function holdRequest(page: Page, path: string): Promise<HeldRequest> {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const arrived = page.waitForRequest(`**/agent/${path}*`)
  await page.route(`**/agent/${path}*`, async (route) => {
    await released
    await route.continue()
  })
  return { arrived, release }
}
