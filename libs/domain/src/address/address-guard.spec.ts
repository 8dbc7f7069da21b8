import { AddressAllowList, AllowListError } from './address-allow-list.js';
import { classifyAddress } from './address-class.js';
import { AddressGuard } from './address-guard.js';

const guard = (...entries: string[]) => new AddressGuard(AddressAllowList.parse(entries));
const loopback = ['127.0.0.0/8', '::1/128'];

describe('the class of an address', () => {
  it.each([
    ['8.8.8.8', 'public'],
    ['2606:4700::1111', 'public'],
    ['10.1.2.3', 'private'],
    ['172.16.0.1', 'private'],
    ['192.168.1.1', 'private'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['::', 'unspecified'],
    ['100.64.0.1', 'carrier_grade_nat'],
    ['169.254.1.1', 'link_local'],
    ['fe80::1', 'link_local'],
    ['fe80::1%eth0', 'link_local'],
    ['fc00::1', 'unique_local'],
    ['fdff::1', 'unique_local'],
    ['224.0.0.1', 'multicast'],
    ['ff02::1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['240.0.0.1', 'reserved'],
    ['192.0.0.1', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['198.51.100.1', 'reserved'],
    ['203.0.113.1', 'reserved'],
    ['2001:db8::1', 'reserved'],
    ['fec0::1', 'reserved'],
    ['100::1', 'reserved'],
    ['::7f00:1', 'reserved'],
    ['4000::1', 'reserved'],
    ['::ffff:8.8.8.8', 'ipv4_mapped'],
    ['::ffff:0:8.8.8.8', 'ipv4_mapped'],
    ['64:ff9b::8.8.8.8', 'nat64'],
    ['64:ff9b:1::1', 'nat64'],
    ['2002:808:808::1', '6to4'],
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'teredo'],
    ['169.254.169.254', 'metadata'],
    ['169.254.170.2', 'metadata'],
    ['169.254.42.42', 'metadata'],
    ['fe80::a9fe:a9fe%eth0', 'metadata'],
    ['fd00:42::42', 'metadata'],
    ['100.100.100.200', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['fd00:ec2::254', 'metadata'],
    ['fd00:ec2::254%2', 'metadata'],
    ['::ffff:169.254.169.254', 'metadata'],
    ['64:ff9b::a9fe:a9fe', 'metadata'],
    ['64:ff9b:1:a9fe:a9:fe00::', 'metadata'],
    ['2002:a9fe:a9fe::1', 'metadata'],
    ['2001:0:808:808::5601:5601', 'metadata'],
    ['::169.254.169.254', 'metadata'],
    ['not-an-address', 'unreadable'],
    ['', 'unreadable'],
  ])('of %s is %s', (address, expected) => {
    expect(classifyAddress(address).class).toBe(expected);
  });
});

describe('a URL without an allow-list', () => {
  it.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://017700000001/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://127.0.0.1./',
    'https://①②⑦.0.0.1/',
    'https://１２７.０.０.１/',
    'https://127。0。0。1/',
    'https://127.0.0.1:8443/',
    'https://%31%32%37.0.0.1/',
    'https://user@[::1]:8443/',
    'https://[64:ff9b:1::10.0.0.1]/',
    'https://[2001:0:808:808::f5ff:fffe]/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://api.localhost/',
    'https://printer.local/',
    'https://router.home.arpa/',
    'https://metadata.google.internal/',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::ffff:808:808]/',
    'https://[64:ff9b::10.0.0.1]/',
    'https://[64:ff9b::8.8.8.8]/',
    'https://[2002:7f00:1::]/',
    'https://10.0.0.1/',
    'https://0/',
    'https://169.254.169.254/latest/meta-data',
    'https://[fd00:ec2::254]/',
    'https://user:password@127.0.0.1/',
  ])('is refused by its address: %s', (url) => {
    expect(guard().vetUrl(url)).toMatchObject({ kind: 'refused', reason: 'address' });
  });

  it.each(['ftp://example.com/', 'file:///etc/passwd', 'gopher://example.com/', 'javascript:alert(1)'])(
    'is refused by its scheme or host: %s',
    (url) => {
      expect(guard().vetUrl(url).kind).toBe('refused');
    },
  );

  it.each([
    '',
    'example.com',
    'https://',
    'https://[fe80::1%25eth0]/',
    'https://1.2.3.4.5/',
    'https://256.1.1.1/',
    'https://a..example/',
    'https://.example/',
    `https://${'a'.repeat(64)}.example/`,
  ])('is no URL: %s', (url) => {
    expect(guard().vetUrl(url)).toEqual({ kind: 'refused', reason: 'invalid_url' });
  });

  it('may name a public address by https only', () => {
    expect(guard().vetUrl('https://8.8.8.8/')).toEqual({ kind: 'address' });
    expect(guard().vetUrl('http://8.8.8.8/')).toMatchObject({ kind: 'refused', reason: 'plain_http' });
  });

  it.each([
    'https://mail.example:25/',
    'https://8.8.8.8:22/',
    'https://[2606:4700::1111]:6667/',
    'https://a.example:0/',
  ])('names no port of another protocol: %s', (url) => {
    expect(guard().vetUrl(url)).toMatchObject({ kind: 'refused', reason: 'port' });
  });

  it('may name any other port, and one of another protocol when its host is listed', () => {
    expect(guard().vetUrl('https://8.8.8.8:8443/')).toEqual({ kind: 'address' });
    expect(guard().vetUrl('https://a.example:444/').kind).toBe('name');
    expect(guard('a.example').vetUrl('https://a.example:25/').kind).toBe('name');
    expect(guard(...loopback).vetUrl('http://127.0.0.1:9/')).toEqual({ kind: 'address' });
  });

  it('names an international host by its ASCII form', () => {
    expect(guard().vetUrl('https://BÜCHER.example/')).toMatchObject({ host: 'xn--bcher-kva.example' });
  });

  it('may name a host that resolves to public addresses by https only', () => {
    expect(guard().vetUrl('https://Example.COM./hook')).toEqual({
      kind: 'name',
      host: 'example.com',
      requires: 'public_or_listed',
    });
    expect(guard('10.0.0.0/8').vetUrl('http://example.com/')).toMatchObject({ kind: 'name', requires: 'listed' });
    expect(guard('a.example').vetUrl('http://example.com/')).toEqual({ kind: 'refused', reason: 'plain_http' });
    expect(guard().vetAddresses(['8.8.8.8'], 'listed')).toMatchObject({ kind: 'refused', reason: 'plain_http' });
  });
});

describe('an allow-list', () => {
  it('opens the addresses of its blocks for http and https, in every spelling and mapped', () => {
    for (const scheme of ['http', 'https'])
      for (const host of ['127.0.0.1', '127.9.9.9', '2130706433', '[::1]', '[::ffff:127.0.0.1]'])
        expect(guard(...loopback).vetUrl(`${scheme}://${host}/`)).toEqual({ kind: 'address' });
    expect(guard(...loopback).vetUrl('https://10.0.0.1/')).toMatchObject({ kind: 'refused', addressClass: 'private' });
  });

  it('opens a named host for http and for every address but metadata', () => {
    const verdict = guard('Receiver.Internal').vetUrl('http://receiver.internal/');
    expect(verdict).toMatchObject({ kind: 'name', requires: 'not_metadata' });
    expect(guard('receiver.internal').vetAddresses(['10.0.0.1', 'fd00::1'], 'not_metadata').kind).toBe('allowed');
    expect(guard('receiver.internal').vetAddresses(['169.254.169.254'], 'not_metadata').kind).toBe('refused');
  });

  it('opens names of the local network as far as it names their addresses', () => {
    expect(guard(...loopback).vetUrl('http://localhost:3000/')).toMatchObject({ kind: 'name', requires: 'listed' });
    expect(guard('printer.local').vetUrl('https://printer.local/')).toMatchObject({ requires: 'not_metadata' });
    expect(guard('a.example').vetUrl('https://localhost/')).toMatchObject({ addressClass: 'loopback' });
  });

  it('never opens metadata addresses, whatever block contains them', () => {
    const wide = guard('0.0.0.0/0', '::/0');
    for (const host of ['169.254.169.254', '[fd00:ec2::254]', '[::ffff:169.254.169.254]', '[64:ff9b::169.254.169.254]'])
      expect(wide.vetUrl(`http://${host}/`)).toMatchObject({ kind: 'refused', addressClass: 'metadata' });
  });

  it('opens no private network by a block for NAT64', () => {
    const nat64 = guard('64:ff9b::/96');
    expect(nat64.vetUrl('https://[64:ff9b::8.8.8.8]/')).toEqual({ kind: 'address' });
    expect(nat64.vetUrl('https://[64:ff9b::10.0.0.1]/')).toMatchObject({ kind: 'refused', addressClass: 'nat64' });
    expect(guard('64:ff9b::/96', '10.0.0.0/8').vetUrl('https://[64:ff9b::10.0.0.1]/').kind).toBe('address');
  });

  it.each(['10.0.0.0/33', '10.0.0.0/8/8', '127.1', '1.2.3', 'host/path', 'http://host', 'a b', ''])(
    'refuses the entry %p',
    (entry) => {
      expect(() => AddressAllowList.parse([entry])).toThrow(AllowListError);
    },
  );
});

describe('the answers of a resolver', () => {
  it('are refused together when one of them is refused', () => {
    expect(guard().vetAddresses(['8.8.8.8', '10.0.0.1'], 'public_or_listed')).toEqual({
      kind: 'refused',
      reason: 'address',
      addressClass: 'private',
    });
    expect(guard().vetAddresses(['8.8.8.8', '2606:4700::1111'], 'public_or_listed').kind).toBe('allowed');
  });

  it('are refused when there are none', () => {
    expect(guard().vetAddresses([], 'not_metadata').kind).toBe('refused');
  });
});
