import { expect, test } from 'vitest'
import type { Report } from './examine.ts'
import { type FixName, fixes, fixesFor } from './fixes.ts'
import { createPaint } from './paint.ts'
import { recognizeProxies } from './proxies.ts'
import { toReportText } from './report-text.ts'

const plain = { paint: createPaint(false), origin: undefined }

const report: Report = {
  url: 'https://mill.example/',
  version: '1.0.0',
  proxies: ['nginx'],
  idleMs: 3_000,
  findings: [
    { check: 'reach', severity: 'ok', seen: 'A Millrace server responded in 9 ms' },
    {
      check: 'buffering',
      severity: 'problem',
      seen: 'held\u001b[31m',
      why: 'It matters.',
      fix: 'buffering',
    },
    {
      check: 'heartbeats',
      severity: 'problem',
      seen: 'held too',
      why: 'So does this.',
      fix: 'buffering',
    },
  ],
}

test('each finding is told with its mark, then why it matters and what to do where it is', () => {
  const text = toReportText(report, plain)
  expect(text).toContain('https://mill.example/  Millrace 1.0.0  behind nginx')
  expect(text).toContain('  ✓ Server        A Millrace server responded in 9 ms')
  expect(text).toContain('  ✗ Buffering     held')
  expect(text).toContain('proxy_buffering off;')
  expect(text).not.toContain('Caddy')
  expect(text).toContain('2 problems.')
  expect(text).toContain('--idle 120')
})

test('a fix that mends several things is shown once', () => {
  const text = toReportText(report, plain)
  expect(text.split('proxy_buffering off;')).toHaveLength(2)
  expect(text).toContain('The fix is the same as above.')
})

test('where no proxy is recognised, each that may be there is told of', () => {
  const text = toReportText({ ...report, proxies: [] }, plain)
  for (const name of ['nginx', 'Caddy', 'Cloudflare', 'Vercel', 'AWS ALB'])
    expect(text).toContain(name)
})

test('what others wrote cannot speak to the terminal; colours are ours alone', () => {
  expect(toReportText(report, plain)).not.toContain('\u001b')
  const colored = toReportText(report, { ...plain, paint: createPaint(true) })
  expect(colored).toContain('\u001b[31m✗\u001b[0m')
  expect(colored).not.toContain('held\u001b')
})

test('no line of prose is wider than a page', () => {
  const lines = toReportText({ ...report, proxies: [] }, plain).split('\n')
  const prose = lines.filter((line) => !/^ {20}/.test(line))
  for (const line of prose) expect(line.length).toBeLessThanOrEqual(100)
})

test('every fix says something, and leaves nothing to fill in that is known', () => {
  for (const name of Object.keys(fixes) as FixName[]) {
    const places = Object.values(fixesFor(name, { origin: 'https://a.example', host: 'b.example' }))
    expect(places.length).toBeGreaterThan(0)
    for (const { say, code = '' } of places) expect(`${say}${code}`).not.toMatch(/ORIGIN|HOST/)
  }
})

test('proxies are known by what they leave on answers and requests', () => {
  expect(recognizeProxies({ server: 'openresty' })).toEqual(['nginx'])
  expect(recognizeProxies({ via: '1.1 Caddy' })).toEqual(['caddy'])
  expect(recognizeProxies({ server: 'cloudflare', 'cf-ray': 'a' })).toEqual(['cloudflare'])
  expect(recognizeProxies({}, ['x-amzn-trace-id', 'x-vercel-id'])).toEqual(['vercel', 'alb'])
  expect(recognizeProxies({ server: 'other' }, ['x-forwarded-for'])).toEqual([])
})
