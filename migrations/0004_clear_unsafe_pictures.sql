-- works with 0003_organizations.sql
-- What a page would run or follow in place of showing it goes: any scheme but http, https and a picture itself, however a
-- browser would read it. A path stays: it does nothing by itself.
update users set image = null
where regexp_replace(image, '[[:cntrl:][:space:]]', '', 'g') ~* '^[a-z][a-z0-9+.-]*:'
  and image !~* '^(https?://|data:image/(png|jpe?g|gif|webp|avif);base64,)';

update organizations set logo = null
where regexp_replace(logo, '[[:cntrl:][:space:]]', '', 'g') ~* '^[a-z][a-z0-9+.-]*:'
  and logo !~* '^(https?://|data:image/(png|jpe?g|gif|webp|avif);base64,)';
