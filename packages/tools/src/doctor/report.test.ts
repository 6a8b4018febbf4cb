import { expect, test } from 'vitest'
import type { Report } from './examine.ts'
import { type FixName, fixes, fixesFor } from './fixes.ts'
import { createPaint, toReportText } from './report.ts'
import { recognizeProxies } from './proxies.ts'

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

test('each finding is printed with its mark, then its consequence and the remedy', () => {
  const text = toReportText(report, plain)
  expect(text).toContain('https://mill.example/  Millrace 1.0.0  behind nginx')
  expect(text).toContain('  ✓ Server        A Millrace server responded in 9 ms')
  expect(text).toContain('  ✗ Buffering     held')
  expect(text).toContain('proxy_buffering off;')
  expect(text).not.toContain('Caddy')
  expect(text).toContain('2 problems.')
  expect(text).toContain('--idle 120')
})

test('a fix for several findings is printed once', () => {
  const text = toReportText(report, plain)
  expect(text.split('proxy_buffering off;')).toHaveLength(2)
  expect(text).toContain('The fix is the same as above.')
})

test('without a recognized proxy, each possible one is described', () => {
  const text = toReportText({ ...report, proxies: [] }, plain)
  for (const name of ['nginx', 'Caddy', 'Cloudflare', 'Vercel', 'AWS ALB'])
    expect(text).toContain(name)
})

test('text of others cannot control the terminal; only the program writes colours', () => {
  expect(toReportText(report, plain)).not.toContain('\u001b')
  const colored = toReportText(report, { ...plain, paint: createPaint(true) })
  expect(colored).toContain('\u001b[31m✗\u001b[0m')
  expect(colored).not.toContain('held\u001b')
})

test('no line of text is wider than a page', () => {
  const lines = toReportText({ ...report, proxies: [] }, plain).split('\n')
  const prose = lines.filter((line) => !/^ {20}/.test(line))
  for (const line of prose) expect(line.length).toBeLessThanOrEqual(100)
})

test('every fix has a text, without placeholders for known values', () => {
  for (const name of Object.keys(fixes) as FixName[]) {
    const places = Object.values(fixesFor(name, { origin: 'https://a.example', host: 'b.example' }))
    expect(places.length).toBeGreaterThan(0)
    for (const { say, code = '' } of places) expect(`${say}${code}`).not.toMatch(/ORIGIN|HOST/)
  }
})

test('proxies are recognized by their traces on responses and requests', () => {
  expect(recognizeProxies({ server: 'openresty' })).toEqual(['nginx'])
  expect(recognizeProxies({ via: '1.1 Caddy' })).toEqual(['caddy'])
  expect(recognizeProxies({ server: 'cloudflare', 'cf-ray': 'a' })).toEqual(['cloudflare'])
  expect(recognizeProxies({}, ['x-amzn-trace-id', 'x-vercel-id'])).toEqual(['vercel', 'alb'])
  expect(recognizeProxies({ server: 'other' }, ['x-forwarded-for'])).toEqual([])
})
