"""Local recoding: classes of k rows grown, merged and regrouped over value trees."""
