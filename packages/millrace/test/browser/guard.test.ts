import { describe, expect, test } from 'vitest'
import { findFaults } from '../support/browser/axe.ts'
import { keepPicture } from '../support/browser/keep-picture.ts'
import { left, one, withStudio } from '../support/browser/studio-tests.ts'

const fault = (title: string) =>
  one.page.locator('.fault').filter({ has: one.page.locator('strong', { hasText: title }) })
/** The end of `/demo thinking`. */
const answer = () => one.page.locator('.chat-content').getByText('204.', { exact: true })
const tryAgain = (name: string) => fault(name).getByRole('button', { name: 'Try again' })

/** Makes formatting of numbers fail in the browser. */
const breakNumbers = (): Promise<void> =>
  one.page.evaluate(() => {
    const { toLocaleString } = Number.prototype
    const fail = (): never => {
      throw new RangeError('No such locale')
    }
    const write = (how: () => string) => Object.assign(Number.prototype, { toLocaleString: how })
    Object.assign(globalThis, { mendNumbers: () => write(toLocaleString) })
    write(fail)
  })
/** Restores the formatting of numbers. */
const mendNumbers = (): Promise<unknown> => one.page.evaluate('void mendNumbers()')

/** Makes the names of the views unreadable in the browser, and opens a new chat in it. */
const breakViews = (): Promise<void> =>
  one.page.evaluate(() => {
    const { entries } = Object
    Object.assign(globalThis, { mendViews: () => Object.assign(Object, { entries }) })
    Object.entries = (of: object) => {
      if ('lab' in of) throw new RangeError('No such view')
      return entries(of)
    }
    const buttons = [...document.querySelectorAll('button')]
    buttons.find(({ textContent }) => textContent === 'New chat')?.click()
  })

describe.skipIf(left)('an error in the page', () => {
  withStudio({ noted: /No such locale|No such view|ERR_FAILED|LoadError/ })

  test('affects only the parts that contain it; a retry restores them', async () => {
    await breakNumbers()
    await one.ask('/demo thinking')
    await one.waitFor('Ready')
    await fault('The wire cannot be shown').waitFor()
    await fault('This part cannot be shown').waitFor()
    await answer().waitFor()
    expect(await findFaults(one.page, '.studio')).toEqual([])
    await keepPicture(one.page, 'fault-in-parts')
    await one.ask('/demo tools')
    await one.page.getByText('in the order of my calls.').waitFor()
    await fault('The wire').getByText('Details').click()
    await fault('The wire').getByText('RangeError: No such locale').waitFor()
    await mendNumbers()
    await tryAgain('The wire').click()
    await one.page.getByText(/\d+ frames/).waitFor()
    for (let count = await tryAgain('This part').count(); count > 0; count--) {
      await tryAgain('This part').first().click()
      await expect.poll(() => tryAgain('This part').count()).toBe(count - 1)
    }
    await one.page.locator('.run-footer').first().waitFor()
  })

  test('in a local pane does not affect the others, and the page can be reloaded', async () => {
    await one.page.route('**/lab-*.js', (route) => route.abort())
    await one.ask('/demo thinking')
    await answer().waitFor()
    await one.page.getByRole('link', { name: /lab/i }).click()
    await fault('The lab could not be loaded').waitFor()
    await keepPicture(one.page, 'fault-in-loading')
    await one.page.unroute('**/lab-*.js')
    await fault('The lab').getByRole('button', { name: 'Reload the page' }).click()
    await one.page.getByRole('main', { name: 'Parser lab' }).getByRole('heading').first().waitFor()
    await one.page.getByRole('link', { name: 'Chat' }).click()
    await answer().waitFor()
  })

  test('in the entire page leaves a message and a way back', async () => {
    await one.ask('/demo thinking')
    await answer().waitFor()
    await breakViews()
    await fault('Studio cannot be shown').waitFor()
    expect(await findFaults(one.page, 'body')).toEqual([])
    await keepPicture(one.page, 'fault-in-all')
    await fault('Studio').getByRole('button', { name: 'Reload the page' }).click()
    await one.page.getByLabel('Your message').waitFor()
  })

  test('in the entire page is resolved by a retry, and another conversation can be opened', async () => {
    await one.ask('/demo text')
    await one.waitFor('Ready')
    await breakViews()
    await fault('Studio cannot be shown').waitFor()
    await one.page.evaluate('void mendViews()')
    await tryAgain('Studio').click()
    await one.ask('/demo thinking')
    await answer().waitFor()
    await one.waitFor('Ready')
  })

  test('is cleared when another content is shown, and the focus is where it was', async () => {
    await breakNumbers()
    await one.ask('/demo thinking')
    await one.waitFor('Ready')
    await fault('The wire cannot be shown').waitFor()
    await tryAgain('The wire').press('Enter')
    await fault('The wire cannot be shown').waitFor()
    const focused = () => one.page.evaluate(() => document.activeElement?.className)
    await expect.poll(focused).toBe('wire-pane')
    await one.page.keyboard.press('Tab')
    expect(await tryAgain('The wire').evaluate((button) => button.matches(':focus'))).toBe(true)
    expect(await one.page.locator('.wire-pane').getAttribute('tabindex')).toBe(null)
    await mendNumbers()
    await one.page.getByRole('link', { name: 'Timeline' }).click()
    await one.page.getByRole('slider', { name: 'Moment' }).press('ArrowLeft')
    await one.page.getByText(/\d+ frames/).waitFor()
  })
})
